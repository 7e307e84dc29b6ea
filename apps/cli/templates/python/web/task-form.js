import { call } from "./api.js";
import { element, pageLink } from "./element.js";

export function taskForm(page) {
  const problem = element("p", { role: "alert", hidden: "" });
  const button = element("button", { className: "primary" }, "Add");
  const save = async (event) => {
    event.preventDefault();
    const { title, details } = Object.fromEntries(new FormData(event.target));
    button.disabled = true;
    try {
      const { id } = await call(page, "POST", "/tasks", { title, details });
      page.notify("The task was added.", "success");
      page.navigate(`/${id}`, { replace: true });
    } catch (error) {
      problem.textContent = error.message;
      problem.hidden = false;
      button.disabled = false;
    }
  };
  return element(
    "section",
    { className: "narrow stack" },
    element("h1", {}, "New task"),
    element(
      "form",
      { className: "card stack", onsubmit: save },
      element("label", {}, "Title", element("input", { name: "title", required: "", maxlength: 100 })),
      element("label", {}, "Details", element("textarea", { name: "details", rows: 5, maxlength: 2000 })),
      problem,
      element("div", { className: "row" }, button, pageLink(page, "", "Cancel")),
    ),
  );
}
