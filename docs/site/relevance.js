// Orders what Sphinx's search finds: by how well the page answers the words. A name of the Python interface comes
// after a page that is as good.
var Scorer = {
  objNameMatch: 11, objPartialMatch: 6, objPrio: {0: 15, 1: 5, 2: -5}, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
  score: ([page, title, anchor, description, score, file, kind]) => {
    const stemmer = new Stemmer();
    const asked = new URLSearchParams(window.location.search).get("q") || "";
    const words = asked.toLowerCase().match(/[\p{L}\p{N}_]+/gu) || [];
    const known = RELEVANCE[page] || {};
    const relevance = words.reduce((sum, word) => sum + (known[stemmer.stemWord(word)] || 0), 0);
    return relevance * (page.startsWith("api/") ? 0.6 : 1) + score / (kind === "title" ? 30 : 1000);
  },
};
// The search fetches the pages that it has found, for excerpts, which a browser forbids between files.
document.addEventListener("DOMContentLoaded", () => {
  if (window.location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
});
