// The editor and the diff of two texts, as one module: text goes in, text comes out, and `tell` hears what happened. It knows
// no file, no command and no worker; the page decides what becomes of a text.

import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";

import { languageOf } from "./languages.js";
import { colours, look } from "./look.js";
import { phrasesOf } from "./phrases.js";

/** A diff gives up precision before it holds the page. */
const DIFF = { scanLimit: 1000, timeout: 250 };
/** Unchanged lines between changes are folded from this many on; some around each change stay. */
const FOLDED = { margin: 3, minSize: 6 };

/** What a reader and an editor have in common. */
const common = (name, lang, text, lineEnd) => [
  lineEnd.of(EditorState.lineSeparator.of(lineEndOf(text))),
  lineNumbers(),
  highlightSpecialChars(),
  drawSelection(),
  search({ top: true }),
  keymap.of(searchKeymap),
  languageOf(name),
  syntaxHighlighting(colours),
  look,
  EditorView.lineWrapping,
  EditorView.contentAttributes.of({ "aria-label": name, spellcheck: "false", "data-testid": "editor" }),
  phrasesOf(lang),
];

const reading = [EditorState.readOnly.of(true), EditorView.editable.of(false), EditorView.contentAttributes.of({ tabindex: "0" })];

const editing = (text, tell) => [
  history(),
  indentOnInput(),
  bracketMatching(),
  highlightActiveLine(),
  highlightSelectionMatches(),
  indentUnit.of(indentOf(text)),
  keymap.of([
    { key: "Mod-s", preventDefault: true, run: () => (tell("save"), true) },
    ...defaultKeymap,
    ...historyKeymap,
    indentWithTab,
  ]),
  EditorView.updateListener.of((update) => update.docChanged && tell("changed")),
];

/** What a file indents with: a tab, or the spaces of its first indented line. */
const indentOf = (text) => {
  const found = /^(\t| {2,8})\S/m.exec(text.slice(0, 20_000));
  return found ? found[1] : "  ";
};

/** How a text ends its lines. Of one that ends them in several ways, what is no line feed is left standing as it is. */
const lineEndOf = (text) => (text.includes("\r\n") && !/\r(?!\n)|(?<!\r)\n/.test(text) ? "\r\n" : "\n");

/**
 * Puts an editor (`kind` "edit") or a diff ("diff": one column, "sides": two) into `place`. `tell` hears "changed" at each
 * change of the text and "save" when the reader asks for it by key.
 *
 * `text()` gives the text as it stands; `put(text)` replaces it, keeping the cursor where it can; `close()` frees all.
 */
export const open = (kind, place, name, before, text, lang, tell) => {
  const root = place.getRootNode();
  // Keys that mean something here mean nothing to the page around; the page's own function keys and panels stay its own.
  const keep = (event) => event.altKey || /^F\d+$/.test(event.key) || event.stopPropagation();
  place.addEventListener("keydown", keep);
  const lineEnd = new Compartment();
  const done = (view, now) => ({
    text: () => now.state.sliceDoc(),
    put(text) {
      if (lineEndOf(text) !== now.state.lineBreak) now.dispatch({ effects: lineEnd.reconfigure(EditorState.lineSeparator.of(lineEndOf(text))) });
      const { state } = now;
      const [old, fresh] = [state.doc.toString(), state.toText(text).toString()];
      if (old === fresh) return;
      // Only what differs is replaced, so that a cursor elsewhere stays.
      let start = 0;
      while (start < old.length && start < fresh.length && old[start] === fresh[start]) start += 1;
      let end = 0;
      while (end < old.length - start && end < fresh.length - start && old.at(-1 - end) === fresh.at(-1 - end)) end += 1;
      now.dispatch({ changes: { from: start, to: old.length - end, insert: fresh.slice(start, fresh.length - end) } });
    },
    focus: () => now.focus(),
    close() {
      place.removeEventListener("keydown", keep);
      view.destroy();
    },
  });
  if (kind === "sides") {
    const side = (doc) => ({ doc, extensions: [common(name, lang, doc, lineEnd), reading] });
    const view = new MergeView({ a: side(before), b: side(text), parent: place, root, collapseUnchanged: FOLDED, diffConfig: DIFF, gutter: true });
    return done(view, view.b);
  }
  const diff = unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: FOLDED, diffConfig: DIFF, gutter: true });
  const extensions = [common(name, lang, text, lineEnd), kind === "diff" ? [reading, diff] : editing(text, tell)];
  const view = new EditorView({ doc: text, extensions, parent: place, root });
  return done(view, view);
};
