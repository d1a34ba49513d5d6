// Which language a file is written in, by the end of its name. What is not here is shown without colours: a grammar of
// Rust, say, would weigh as much as those of JavaScript and CSS together.

import { css } from "@codemirror/lang-css";
import { html } from "@codemirror/lang-html";
import { javascript } from "@codemirror/lang-javascript";
import { json } from "@codemirror/lang-json";
import { markdown, markdownLanguage } from "@codemirror/lang-markdown";
import { python } from "@codemirror/lang-python";

const LANGUAGES = {
  css: () => css(),
  htm: () => html(),
  html: () => html(),
  svg: () => html(),
  xml: () => html(),
  js: () => javascript(),
  mjs: () => javascript(),
  cjs: () => javascript(),
  jsx: () => javascript({ jsx: true }),
  ts: () => javascript({ typescript: true }),
  mts: () => javascript({ typescript: true }),
  tsx: () => javascript({ jsx: true, typescript: true }),
  json: () => json(),
  map: () => json(),
  md: () => markdown({ base: markdownLanguage }),
  markdown: () => markdown({ base: markdownLanguage }),
  py: () => python(),
};

/** The language of a file of this name, as an extension of the editor. */
export const languageOf = (name) => {
  const end = /\.([^./]+)$/.exec(name)?.[1].toLowerCase() ?? "";
  return Object.hasOwn(LANGUAGES, end) ? LANGUAGES[end]() : [];
};
