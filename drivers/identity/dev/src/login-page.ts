import { brandingPaths } from "@appserver/contracts/branding";
import type { DevUser } from "@appserver/driver";
import { escapeHtml } from "@appserver/kernel";

/** Returns the page of the login. The form sends `returnTo` back. */
export function renderLoginPage(users: readonly DevUser[], returnTo: string): string {
  const buttons = users.map(
    ({ id, displayName, about }) =>
      `      <li><button type="submit" name="user" value="${escapeHtml(id)}">${escapeHtml(displayName)} <span>${escapeHtml(about)}</span></button></li>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <link rel="icon" href="${brandingPaths.logo}">
  <link rel="stylesheet" href="${brandingPaths.page}">
  <title>Sign in</title>
</head>
<body>
<header>
  <a class="brand" href="/"><img src="${brandingPaths.logo}" alt="Home page"><span></span></a>
</header>
<main class="card">
  <h1>Sign in</h1>
  <p class="lead">Choose a user. There are no passwords here: this page exists on development servers only.</p>
  <form method="post" action="/dev/login" aria-label="Users">
    <input type="hidden" name="return_to" value="${escapeHtml(returnTo)}">
    <ul class="choices">
${buttons.join("\n")}
    </ul>
  </form>
</main>
</body>
</html>
`;
}
