// What a response has used, and what that costs.

const noCost = () => ({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 });

export const noUsage = () => ({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: noCost() });

/** The prices of a request: those of the highest tier its prompt is in. */
const pricesFor = (prices, prompt) => {
  let best = prices;
  let above = -1;
  for (const tier of prices.tiers ?? []) {
    if (prompt > tier.inputTokensAbove && tier.inputTokensAbove > above) {
      best = tier;
      above = tier.inputTokensAbove;
    }
  }
  return best;
};

/** Puts US dollars to the tokens; prices are for a million. A price that is not known is none. */
export const price = (usage, prices) => {
  const cost = noCost();
  if (prices) {
    const { input, output, cacheRead, cacheWrite, cacheWrite1h = 0 } = usage;
    const rate = pricesFor(prices, input + cacheRead + cacheWrite);
    const dollars = (tokens, perMillion = 0) => (perMillion / 1_000_000) * tokens;
    cost.input = dollars(input, rate.input);
    cost.output = dollars(output, rate.output);
    cost.cacheRead = dollars(cacheRead, rate.cacheRead);
    cost.cacheWrite = dollars(cacheWrite - cacheWrite1h, rate.cacheWrite) + dollars(cacheWrite1h, (rate.input ?? 0) * 2);
    cost.total = cost.input + cost.output + cost.cacheRead + cost.cacheWrite;
  }
  usage.cost = { ...cost, totalFromProvider: false };
  return usage;
};

/** Puts to a usage what its tokens cost with a model, and gives that. */
export const calculateCost = (model, usage) => price(usage, model.cost).cost;
