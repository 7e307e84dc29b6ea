import { element, pageLink } from "./element.js";

const createPermission = "com.example.polls:create";

export function pollList(page, polls) {
  const header = element("header", { className: "row spread" }, element("h1", {}, "Polls"));
  if (page.can(createPermission)) header.append(pageLink(page, "/new", "New poll", { className: "button primary" }));
  const empty = element("p", { className: "empty" }, "There is no poll yet.");
  return element("section", { className: "stack" }, header, polls.length === 0 ? empty : table(page, polls));
}

function table(page, polls) {
  const cells = (name, ...texts) => element("tr", {}, ...texts.map((text) => element(name, {}, text)));
  const rows = polls.map((poll) => {
    const link = pageLink(page, `/${poll.id}`, poll.question);
    return cells("td", link, pollState(poll), poll.votes, new Date(poll.createdAt).toLocaleDateString(page.locale));
  });
  const head = element("thead", {}, cells("th", "Question", "State", "Votes", "Asked"));
  return element("div", { className: "scroll" }, element("table", {}, head, element("tbody", {}, ...rows)));
}

export function pollState({ closed, ownChoice }) {
  const [tone, text] = closed ? ["neutral", "Closed"] : ownChoice === undefined ? ["active", "Open"] : ["good", "Voted"];
  return element("span", { className: "badge", "data-tone": tone }, text);
}
