// bash: a shell in a worker of its own, over the same files, which ends when it is told to.

import { assert, test, until } from "./harness.mjs";
import { answer } from "./model_server.mjs";

/** A run whose model calls bash with each command, one a turn; gives what the calls came to. */
async function commands(t, list, { agent } = {}) {
  const calls = list.map((command, index) => answer({
    calls: [{ id: `b${index}`, name: "bash", arguments: typeof command === "string" ? { command } : command }],
  }));
  const server = await t.model([...calls, answer({ text: "Done." })]);
  agent ??= await t.open();
  await agent.useModel(server);
  const result = await agent.prompt("go");
  const results = (await agent.transcript()).filter((message) => message.role === "toolResult").slice(-list.length);
  return { agent, server, result, results: results.map((message) => [message.content.map((block) => block.text).join(""), message.isError]) };
}

const file = (agent, path) => agent.do(async (element, path) => new TextDecoder().decode(await element.files.read(path)), path);
const names = (agent, path) => agent.do(async (element, path) => (await element.files.list(path)).map((entry) => entry.name), path);
test("a command reads and changes the files of the other tools, and its folder and variables live on", async (t) => {
  const agent = await t.open();
  await agent.do((element) => element.files.write("data/t.csv", "name,n\nAda,3\nBob,4\n"));
  const { results } = await commands(t, [
    "cd data && total=$(awk -F, 'NR>1 {s+=$2} END {print s}' t.csv) && echo $total",
    "echo \"total=$total\" > sum.txt; mkdir -p sub; mv sum.txt sub/; pwd; cat sub/sum.txt",
    "ls none",
    "true",
    "git status",
  ], { agent });
  assert.deepEqual(results.slice(0, 2), [["7\n", false], ["/workspace/data\ntotal=7\n", false]]);
  assert.match(results[2][0], /No such file or directory\n\n\nCommand exited with code 2$/);
  assert.equal(results[2][1], true);
  assert.deepEqual(results[3], ["(no output)", false]);
  assert.match(results[4][0], /^bash: git: not available: .*\n\n\nCommand exited with code 127$/s);
  assert.equal(await file(agent, "data/sub/sum.txt"), "total=7\n");
  assert.deepEqual(await names(agent, "data"), ["sub", "t.csv"]);
});

test("a file that a person writes between two commands is seen by the second", async (t) => {
  const { agent } = await commands(t, ["echo one > a.txt"]);
  await agent.do((element) => element.files.write("a.txt", "two\n"));
  const { results } = await commands(t, ["cat a.txt"], { agent });
  assert.deepEqual(results, [["two\n", false]]);
});

test("nothing of the shell is loaded before it is asked for, and then once", async (t) => {
  const asked = [];
  const log = (name) => [`/some/path/${name}`, () => void asked.push(name)];
  const server = await t.serve(Object.fromEntries(["shell_loader.js", "shell.js", "shell_bg.wasm"].map(log)));
  const agent = await t.open({ server });
  const model = await t.model([answer({ calls: [{ name: "write", arguments: { path: "a", content: "b" } }] }), answer({ text: "ok" })]);
  await agent.useModel(model);
  await agent.prompt("write");
  assert.deepEqual(asked, []);
  const { results } = await commands(t, ["cat a", "cat a"], { agent });
  assert.deepEqual(results, [["b", false], ["b", false]]);
  assert.deepEqual(asked, ["shell_loader.js", "shell.js", "shell_bg.wasm"]);
});

test("jq runs in a pipe, is loaded when it is first named, and a program that takes everything loses itself alone", async (t) => {
  const asked = [];
  const log = (name) => [`/some/path/${name}`, () => void asked.push(name)];
  const server = await t.serve(Object.fromEntries(["jq.js", "jq_bg.wasm"].map(log)));
  const agent = await t.open({ server });
  await agent.do((element) => element.files.write("x.json", '{"users":[{"name":"Zoë","age":40},{"name":"Bo","age":37}]}'));
  const first = await commands(t, ["wc -l < x.json | tr -d ' '"], { agent });
  assert.deepEqual([first.results, asked], [[["0\n", false]], []]);
  const { results } = await commands(t, [
    "cat x.json | jq -r '.users | sort_by(.age)[] | \"\\(.name) \\(.age)\"'; jq '[.users[].age] | add / length' x.json",
    "jq -n 'def f: 1 + f; f'; jq -n '[limit(3; repeat(1))] | length'; jq -n 'now | todate | .[:2]'",
    "jq -n 'reduce range(200000) as $i (null; [.]) | length'; jq -c '.users[0]' x.json > y.json; cat y.json; jq . none.json",
  ], { agent });
  assert.deepEqual(results[0], ["Bo 37\nZoë 40\n38.5\n", false]);
  assert.match(results[1][0], /^jq: error: the program was stopped: .*\n3\n"20"\n$/);
  const [last, isError] = results[2];
  assert.match(last, /\{"name":"Zoë","age":40\}\njq: error: Could not open none\.json: No such file or directory\n\n\nCommand exited with code 2$/);
  assert.equal(isError, true);
  assert.deepEqual(asked, ["jq.js", "jq_bg.wasm"]);
});

for (const missing of ["jq.js", "jq_bg.wasm"]) {
  test(`without ${missing} a command that names jq says what to use instead, and it may be tried again`, async (t) => {
    t.allow(/jq|MIME|module script|[Ww]eb[Aa]ssembly/);
    let is_there = false;
    const page = () => (is_there ? undefined : "<p>no such file");
    const agent = await t.open({ server: await t.serve({ [`/some/path/${missing}`]: page }) });
    const { results } = await commands(t, ["echo '{\"a\":1}' | jq .a", "echo '{\"a\":1}' | json get .a"], { agent });
    assert.match(results[0][0], /^bash: jq: not available \(.+\): use `json get \.path\.to\.0`, .* python or node either\n\n\nCommand exited with code 127$/s);
    assert.deepEqual(results[1], ["1\n", false]);
    is_there = true;
    assert.deepEqual((await commands(t, ["echo '{\"a\":1}' | jq .a"], { agent })).results, [["1\n", false]]);
  });
}

test("what a person and a command write to one file at once is the same on both sides afterwards", async (t) => {
  const agent = await t.open();
  const server = await t.model([
    answer({ calls: [{ id: "b0", name: "bash", arguments: { command: "echo first > a.txt; echo > ready; sleep 1; echo shell > a.txt" } }] }),
    answer({ calls: [{ id: "b1", name: "bash", arguments: { command: "cat a.txt b.txt" } }] }),
    answer({ text: "Done." }),
  ]);
  await agent.useModel(server);
  await agent.startPrompt("both");
  await until("the command", async () => (await names(agent, "")).includes("ready"));
  await agent.do(async ({ files }) => { await files.write("a.txt", "person\n"); await files.write("b.txt", "person\n"); });
  const done = async () => (await agent.transcript()).filter((message) => message.role === "toolResult").length === 2;
  await until("both commands", done);
  const [, last] = (await agent.transcript()).filter((message) => message.role === "toolResult");
  const seen = last.content.map((block) => block.text).join("");
  assert.deepEqual([await file(agent, "a.txt"), seen], ["shell\n", "shell\nperson\n"]);
});

test("long output is cut at its head and kept in a file", async (t) => {
  const { agent, results } = await commands(t, ["seq 1 5000"]);
  const [text, isError] = results[0];
  assert.equal(isError, false);
  assert.match(text, /^3001\n/);
  assert.match(text, /\n5000\n\n\[Showing lines 3001-5000 of 5000\. Full output: \/workspace\/\.vitrine\/output\/bash-1\.txt\]$/);
  const kept = await file(agent, ".vitrine/output/bash-1.txt");
  assert.equal(kept, Array.from({ length: 5000 }, (_, index) => `${index + 1}\n`).join(""));
});

test("stop ends a loop that never ends, at once; its files are kept and the next command works", async (t) => {
  const server = await t.model([
    answer({ calls: [{ id: "b0", name: "bash", arguments: { command: "x=1; echo ready" } }] }),
    answer({ calls: [{ id: "b1", name: "bash", arguments: { command: "echo kept > kept.txt; while true; do :; done" } }] }),
  ]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.startPrompt("loop");
  await until("the file of the loop", async () => (await names(agent, "")).includes("kept.txt"));
  const took = await agent.do(async (element) => {
    const began = performance.now();
    await element.abort();
    return performance.now() - began;
  });
  assert.equal((await agent.finished()).value.aborted, true);
  assert.ok(took < 200, `stopping took ${took} ms`);
  const last = (await agent.story()).filter((entry) => entry.of === "bash").at(-1);
  assert.deepEqual(last, { result: "Command aborted", of: "bash", isError: true });
  const { results } = await commands(t, ["echo x=$x; cat kept.txt"], { agent });
  assert.match(results[0][0], /^x=1\nkept\n\n\n\[The command before was ended while it ran: /);
});

test("a timeout ends it, and says so", async (t) => {
  const { agent, results } = await commands(t, [{ command: "echo begun; while true; do :; done", timeout: 0.5 }, "echo after"]);
  assert.deepEqual(results[0], ["begun\n\n\nCommand timed out after 0.5 seconds", true]);
  assert.match(results[1][0], /^after\n/);
  assert.equal((await agent.state()).status, "idle");
});
