import { call } from "./api.js";
import { element, pageLink } from "./element.js";
import { pollState } from "./poll-list.js";

/** `onChange` gets the changed poll. */
export function pollDetail(page, path, poll, onChange) {
  const change = (below, body) =>
    call(page, "POST", path + below, body).then(onChange, (error) => page.notify(error.message, "error"));
  const isOpenToViewer = !poll.closed && poll.ownChoice === undefined;
  const content = element(
    "section",
    { className: "narrow stack" },
    pageLink(page, "", "All polls"),
    element("header", { className: "row spread" }, element("h1", {}, poll.question), pollState(poll)),
    isOpenToViewer ? ballot(poll, (choice) => change("/vote", { choice })) : results(page, poll),
  );
  if (!poll.mayClose) return content;
  const close = element("button", { type: "button", onclick: () => change("/close") }, "Close the poll");
  content.append(element("div", { className: "row" }, close));
  return content;
}

function ballot(poll, vote) {
  const send = (event) => {
    event.preventDefault();
    vote(Number(new FormData(event.target).get("choice")));
  };
  const options = poll.choices.map(({ text }, index) => {
    const input = element("input", { type: "radio", name: "choice", value: index, required: "" });
    return element("label", {}, input, text);
  });
  return element(
    "form",
    { className: "card stack", onsubmit: send },
    element("fieldset", {}, element("legend", {}, "Your vote"), ...options),
    element("p", { className: "small dim" }, "You vote once. Other people see how many votes a choice has, and not whose."),
    element("div", { className: "row" }, element("button", { className: "primary" }, "Vote")),
  );
}

function results(page, { choices, votes, ownChoice }) {
  const percent = new Intl.NumberFormat(page.locale, { style: "percent", maximumFractionDigits: 0 });
  const bars = choices.map(({ text, votes: own }, index) => {
    const numbers = `${own} of ${votes}, ${percent.format(votes === 0 ? 0 : own / votes)}`;
    const shown = index === ownChoice ? `${text} (your vote)` : text;
    const name = element("span", { className: "row spread" }, element("span", {}, shown), element("span", {}, numbers));
    return element("label", {}, name, element("progress", { max: Math.max(votes, 1), value: own }));
  });
  return element("div", { className: "card stack" }, ...bars);
}
