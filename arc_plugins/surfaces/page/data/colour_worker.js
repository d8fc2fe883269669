// Finds the colours of code, apart from the page: for some texts that takes minutes.

import hljs from "./highlight.js";

self.onmessage = ({ data: { text, language } }) => {
  const known = hljs.getLanguage(language);
  self.postMessage({ markup: known ? hljs.highlight(text, { language, ignoreIllegals: true }).value : "" });
};
