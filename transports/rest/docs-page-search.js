const input = document.querySelector("#search");
const none = document.querySelector("#none");
const sections = [...document.querySelectorAll("section")].map((section) => ({
  section,
  entries: [...section.querySelectorAll("details")].map((entry) => ({
    entry,
    text: entry.querySelector("summary").textContent.toLowerCase(),
  })),
}));
const filter = () => {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const { section, entries } of sections) {
    for (const { entry, text } of entries) entry.hidden = !words.every((word) => text.includes(word));
    section.hidden = entries.every(({ entry }) => entry.hidden);
  }
  none.hidden = sections.some(({ section }) => !section.hidden);
};
const unfold = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target?.tagName !== "DETAILS") return;
  input.value = "";
  filter();
  target.open = true;
  target.scrollIntoView();
};
input.hidden = false;
input.addEventListener("input", filter);
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target === input) return;
  event.preventDefault();
  input.focus();
});
addEventListener("hashchange", unfold);
unfold();
