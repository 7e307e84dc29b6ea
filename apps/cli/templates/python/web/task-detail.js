import { call } from "./api.js";
import { element, pageLink } from "./element.js";
import { taskStatus } from "./task-list.js";

/** `onChange` gets the changed task. */
export function taskDetail(page, path, task, onChange) {
  const attempt = (work) => () => work().catch((error) => page.notify(error.message, "error"));
  const toggle = attempt(async () => onChange(await call(page, "PATCH", path, { done: !task.doneAt })));
  const remove = attempt(async () => {
    await call(page, "DELETE", path);
    page.navigate("", { replace: true });
  });
  const added = `Added by ${task.createdBy} on ${new Date(task.createdAt).toLocaleString(page.locale)}`;
  return element(
    "section",
    { className: "narrow stack" },
    pageLink(page, "", "All tasks"),
    element("header", { className: "row spread" }, element("h1", {}, task.title), taskStatus(task)),
    element(
      "div",
      { className: "card stack" },
      ...(task.details ? [element("p", {}, task.details)] : []),
      element("p", { className: "small dim" }, added),
    ),
    element(
      "div",
      { className: "row" },
      element("button", { type: "button", className: "primary", onclick: toggle }, task.doneAt ? "Open again" : "Done"),
      element("button", { type: "button", className: "danger", onclick: remove }, "Delete"),
    ),
  );
}
