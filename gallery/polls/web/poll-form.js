import { call } from "./api.js";
import { element, pageLink } from "./element.js";

const fewestChoices = 2;
const mostChoices = 8;

export function pollForm(page) {
  const problem = element("p", { role: "alert", hidden: "" });
  const button = element("button", { className: "primary" }, "Ask");
  const choices = element("fieldset", {}, element("legend", {}, "Choices"));
  const more = element("button", { type: "button", onclick: () => addChoice().focus() }, "Another choice");
  const addChoice = () => {
    const number = choices.querySelectorAll("input").length + 1;
    const required = number <= fewestChoices ? { required: "" } : {};
    const input = element("input", { name: "choice", maxlength: 100, ...required });
    choices.append(element("label", {}, `Choice ${number}`, input));
    more.hidden = number === mostChoices;
    return input;
  };
  addChoice();
  addChoice();
  const save = async (event) => {
    event.preventDefault();
    const data = new FormData(event.target);
    const texts = data.getAll("choice").filter((text) => text.trim() !== "");
    button.disabled = true;
    try {
      const { id } = await call(page, "POST", "/polls", { question: data.get("question"), choices: texts });
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
    element("h1", {}, "New poll"),
    element(
      "form",
      { className: "card stack", onsubmit: save },
      element("label", {}, "Question", element("input", { name: "question", required: "", maxlength: 200 })),
      choices,
      element("div", { className: "row" }, more),
      problem,
      element("div", { className: "row" }, button, pageLink(page, "", "Cancel")),
    ),
  );
}
