// What the editor says, in the language of the page. English is what the library brings.

import { EditorState } from "@codemirror/state";

const ZH = {
  "Control character": "控制字符",
  "Selection deleted": "已删除所选内容",
  "folded code": "折叠的代码",
  unfold: "展开",
  to: "到",
  "Go to line": "转到行",
  go: "转到",
  Find: "查找",
  Replace: "替换",
  next: "下一个",
  previous: "上一个",
  all: "全部",
  "match case": "区分大小写",
  regexp: "正则表达式",
  "by word": "全字匹配",
  replace: "替换",
  "replace all": "全部替换",
  close: "关闭",
  "current match": "当前匹配",
  "on line": "所在行",
  "replaced match on line $": "已替换第 $ 行的匹配",
  "replaced $ matches": "已替换 $ 处匹配",
  "$ unchanged lines": "$ 行未改动",
};

/** The words of a language, as an extension of the editor. */
export const phrasesOf = (lang) => (lang === "zh" ? EditorState.phrases.of(ZH) : []);
