// How it looks: the tokens of the page, so that it is light and dark with it and a host page may set them. The page's two
// accents say who acts and are not used here; code has quieter colours of its own.

import { HighlightStyle } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const STRING = "var(--vitrine-code-string, light-dark(#4a6a2c, #adc68e))";
const NUMBER = "var(--vitrine-code-number, light-dark(#8a4a12, #dba770))";
const NAME = "var(--vitrine-code-name, light-dark(#2f5b8f, #8fb6e0))";
const ADDED = "light-dark(#e4f3e6, #1c3222)";
const ADDED_WORD = "light-dark(#b9dfbf, #2f5a3b)";
const REMOVED = "var(--vitrine-danger-bg)";
const REMOVED_WORD = "light-dark(#f3c9c5, #643330)";

export const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.heading, tags.strong], fontWeight: "600" },
  { tag: [tags.comment, tags.meta, tags.processingInstruction], color: "var(--vitrine-fg-3)" },
  { tag: [tags.string, tags.regexp, tags.attributeValue, tags.special(tags.string)], color: STRING },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.color, tags.unit], color: NUMBER },
  { tag: [tags.definition(tags.variableName), tags.function(tags.variableName), tags.typeName, tags.className, tags.tagName, tags.propertyName, tags.attributeName], color: NAME },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: [tags.link, tags.url], textDecoration: "underline", textUnderlineOffset: "2px" },
  { tag: tags.strikethrough, textDecoration: "line-through" },
  { tag: tags.invalid, color: "var(--vitrine-danger)" },
]);

export const look = EditorView.theme({
  "&": { height: "100%", color: "var(--vitrine-fg)", backgroundColor: "var(--vitrine-bg)" },
  // The edge round it shows the focus (style.css): its own would lie under the line numbers.
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { font: "var(--vitrine-t2) var(--vitrine-mono)", fontVariantLigatures: "none", scrollbarWidth: "thin", overscrollBehavior: "auto" },
  ".cm-content": { outline: "none", caretColor: "var(--vitrine-fg)", padding: "4px 0" },
  ".cm-line": { padding: "0 12px 0 4px" },
  ".cm-cursor": { borderLeftColor: "var(--vitrine-fg)", borderLeftWidth: "1.5px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, .cm-content ::selection": {
    backgroundColor: "light-dark(#cfd6e4, #3b4558)",
  },
  ".cm-activeLine": { backgroundColor: "light-dark(rgb(0 0 0 / .035), rgb(255 255 255 / .045))" },
  ".cm-gutters": { backgroundColor: "var(--vitrine-bg)", color: "var(--vitrine-fg-3)", border: "0" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 8px 0 10px", minWidth: "28px" },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { backgroundColor: "transparent", outline: "1px solid var(--vitrine-border-control)" },
  ".cm-selectionMatch, .cm-searchMatch": { backgroundColor: "var(--vitrine-warn-bg)", outline: "1px solid var(--vitrine-warn-line)" },
  ".cm-searchMatch-selected": { backgroundColor: "var(--vitrine-warn-line)" },
  ".cm-specialChar": { color: "var(--vitrine-danger)" },

  ".cm-panels": { backgroundColor: "var(--vitrine-bg-side)", color: "var(--vitrine-fg)" },
  ".cm-panels.cm-panels-top": { borderBottom: "1px solid var(--vitrine-border)" },
  ".cm-panel.cm-search": { font: "var(--vitrine-t2) var(--vitrine-font)", padding: "6px 28px 6px 8px" },
  ".cm-panel.cm-search label": { display: "inline-flex", alignItems: "center", gap: "3px", fontSize: "12px" },
  ".cm-panel.cm-search [name=close]": { top: "6px", right: "4px", width: "24px", height: "24px", cursor: "pointer" },
  ".cm-textfield": {
    font: "var(--vitrine-t2) var(--vitrine-mono)", color: "inherit", backgroundColor: "var(--vitrine-bg)", maxWidth: "100%",
    border: "1px solid var(--vitrine-border-control)", borderRadius: "var(--vitrine-radius-s)", padding: "1px 6px",
  },
  ".cm-button": {
    font: "var(--vitrine-t2) var(--vitrine-font)", color: "inherit", backgroundImage: "none", backgroundColor: "var(--vitrine-bg)", cursor: "pointer",
    border: "1px solid var(--vitrine-border-control)", borderRadius: "var(--vitrine-radius-s)", padding: "1px 8px",
  },
  ".cm-button:active": { backgroundImage: "none", backgroundColor: "var(--vitrine-bg-hover)" },

  // The signs stand beside the colours: + what came, − what went.
  ".cm-changedLine, &.cm-merge-b .cm-changedLine, .cm-insertedLine": { backgroundColor: ADDED },
  "&.cm-merge-a .cm-changedLine, .cm-deletedChunk": { backgroundColor: REMOVED },
  ".cm-deletedChunk": { padding: "0 12px 0 4px" },
  ".cm-deletedChunk .cm-deletedLine, .cm-deletedChunk del, &.cm-merge-a .cm-deletedLine": { textDecoration: "none" },
  ".cm-changedText, &.cm-merge-b .cm-changedText, .cm-insertedLine .cm-changedText": { background: ADDED_WORD, borderRadius: "2px" },
  "&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText": { background: REMOVED_WORD, borderRadius: "2px" },
  ".cm-changeGutter": { width: "14px", paddingLeft: "0" },
  ".cm-changeGutter .cm-gutterElement": { textAlign: "center" },
  ".cm-changedLineGutter, &.cm-merge-b .cm-changedLineGutter, .cm-insertedLineGutter": { background: ADDED },
  ".cm-deletedLineGutter, &.cm-merge-a .cm-changedLineGutter": { background: REMOVED },
  ".cm-changedLineGutter::before, .cm-insertedLineGutter::before": { content: '"+"' },
  ".cm-deletedLineGutter::before, &.cm-merge-a .cm-changedLineGutter::before": { content: '"−"' },
  ".cm-collapsedLines": {
    font: "var(--vitrine-t1) var(--vitrine-font)", color: "var(--vitrine-fg-2)", background: "var(--vitrine-bg-side)", padding: "4px 12px",
    borderBlock: "1px solid var(--vitrine-border)", cursor: "pointer",
  },
});
