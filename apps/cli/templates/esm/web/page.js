/** Shows the page in an element. Returns a function that removes it. The console calls it with the page contract. */
export function mount(element, page) {
  const showTheme = (theme) => (element.style.colorScheme = theme);
  showTheme(page.theme);
  const unwatch = page.onThemeChange(showTheme);
  // The look that the platform gives to pages of apps: it is for what is in an element of the class `app`.
  const look = document.createElement("link");
  look.rel = "stylesheet";
  look.href = "/sdk/app.css";
  const content = document.createElement("div");
  content.className = "app";
  const heading = document.createElement("h1");
  heading.textContent = "__TITLE__";
  const answer = document.createElement("p");
  answer.setAttribute("role", "status");
  answer.textContent = "Loading…";
  content.append(heading, answer);
  element.append(look, content);
  void greet(page, answer);
  return () => {
    unwatch();
    element.replaceChildren();
  };
}

/** Asks the backend of the app, as the user. */
async function greet(page, answer) {
  try {
    const response = await page.fetch(`/hello/${encodeURIComponent(page.viewer.displayName)}`);
    const { hello, error } = await response.json();
    answer.textContent = response.ok ? `Hello, ${hello}.` : error;
  } catch (error) {
    answer.textContent = String(error);
  }
}
