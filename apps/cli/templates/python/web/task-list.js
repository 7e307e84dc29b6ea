import { element, pageLink } from "./element.js";

export function taskList(page, tasks) {
  return element(
    "section",
    { className: "stack" },
    element(
      "header",
      { className: "row spread" },
      element("h1", {}, "__TITLE__"),
      pageLink(page, "/new", "New task", { className: "button primary" }),
    ),
    tasks.length === 0 ? element("p", { className: "empty" }, "There is no task yet.") : table(page, tasks),
  );
}

function table(page, tasks) {
  const cells = (name, ...texts) => element("tr", {}, ...texts.map((text) => element(name, {}, text)));
  const added = (task) => new Date(task.createdAt).toLocaleDateString(page.locale);
  const rows = tasks.map((task) => cells("td", pageLink(page, `/${task.id}`, task.title), taskStatus(task), added(task)));
  const head = element("thead", {}, cells("th", "Task", "Status", "Added"));
  return element("div", { className: "scroll" }, element("table", {}, head, element("tbody", {}, ...rows)));
}

export function taskStatus({ doneAt }) {
  return element("span", { className: "badge", "data-tone": doneAt ? "good" : "active" }, doneAt ? "Done" : "Open");
}
