/** Markdown, as the page renders it. */

/** Markdown as HTML in which nothing runs: raw HTML is text, and links lead nowhere but to pages and mail. */
export declare function renderMarkdown(text: string): string;
