// All scenarios, by the file that pi's traces of them are in.

import aborts from "./aborts.mjs";
import calls from "./calls.mjs";
import continuing from "./continuing.mjs";
import declarations from "./declarations.mjs";
import failures from "./failures.mjs";
import oddities from "./oddities.mjs";
import queues from "./queues.mjs";
import streams from "./streams.mjs";
import traces from "./traces.mjs";
import turns from "./turns.mjs";

export const SCENARIOS = { traces, queues, turns, continuing, aborts, calls, declarations, streams, failures, oddities };
