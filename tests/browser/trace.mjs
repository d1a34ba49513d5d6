// What Chromium itself records of a page: the tasks of its threads, its timers and its frames.

const MARK = "vitrine-test-mark";

/**
 * Records until `stop`, which gives the `events` of the page's process: `{name, ph, ts, dur, tdur, tid, args}`, times in
 * microseconds (`tdur`: those the thread had the processor); `began`, the time of the start; `main`, the thread of the page;
 * and `threads`, the names of all.
 */
export async function trace(tab, categories) {
  const devtools = await tab.page.context().browser().newBrowserCDPSession();
  const events = [];
  devtools.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  await devtools.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { recordMode: "recordAsMuchAsPossible", includedCategories: [...categories, "blink.user_timing", "__metadata"], excludedCategories: ["*"] },
  });
  // Says which of the browser's processes is the page's.
  await tab.evaluate(`void performance.mark("${MARK}")`);
  return {
    async stop() {
      // A task that has not ended is in no record, and the one that answered us may still be ending.
      await new Promise((resolve) => setTimeout(resolve, 150));
      const complete = new Promise((resolve) => devtools.once("Tracing.tracingComplete", resolve));
      await devtools.send("Tracing.end");
      const { dataLossOccurred } = await complete;
      await devtools.detach();
      if (dataLossOccurred) throw new Error("the trace has holes");
      const mark = events.find((event) => event.name === MARK);
      if (!mark) throw new Error("the trace does not know the page");
      const own = events.filter((event) => event.pid === mark.pid);
      const threads = Object.fromEntries(own.filter((event) => event.name === "thread_name").map((event) => [event.tid, event.args.name]));
      return { events: own.filter((event) => event.ph !== "M" && event.name !== MARK), began: mark.ts, main: mark.tid, threads };
    },
  };
}
