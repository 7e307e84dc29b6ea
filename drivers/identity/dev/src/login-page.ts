import type { DevUser } from "./dev-user.ts";

export function renderLoginPage(users: readonly DevUser[]): string {
  const buttons = users.map(
    ({ id, displayName }) =>
      `      <li><button type="submit" name="user" value="${escapeHtml(id)}">${escapeHtml(displayName)} (${escapeHtml(id)})</button></li>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>Development login</title>
</head>
<body>
<main>
  <h1>Development login</h1>
  <p>Choose who you are. There are no passwords here: this page exists on development servers only.</p>
  <form method="post" action="/dev/login" aria-label="Users">
    <ul>
${buttons.join("\n")}
    </ul>
  </form>
</main>
</body>
</html>
`;
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? "");
}
