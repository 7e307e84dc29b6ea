import type { DevUser } from "@appserver/driver";
import { escapeHtml } from "@appserver/kernel";

/** The login page of the console, without its scripts: fonts, colours and sizes in both themes. */
const styles = `
    :root { color-scheme: light dark; font: 16px/1.55 system-ui, -apple-system, "Segoe UI", sans-serif }
    * { box-sizing: border-box }
    body { margin: 0; min-height: 100vh; background: light-dark(#f1f3f5, #1f1f1f); color: light-dark(#000, #c9c9c9) }
    header { display: flex; align-items: center; gap: .625rem; padding: 1rem; line-height: 1.5rem; font-weight: 700 }
    main { width: min(26rem, calc(100vw - 2rem)); margin: clamp(1rem, 8vh, 6rem) auto 2rem; padding: 2rem; border: 1px solid light-dark(#dee2e6, #424242); border-radius: 16px; background: light-dark(#fff, #242424) }
    h1 { margin: 0; font-size: 1.625rem; line-height: 1.35 }
    p { margin: 0 0 1.25rem; color: light-dark(#495057, #b8bcc1) }
    ul { margin: 0; padding: 0; list-style: none; display: grid; gap: .75rem }
    button { width: 100%; padding: .5rem 1rem; border: 1px solid light-dark(#ced4da, #424242); border-radius: 8px; background: light-dark(#fff, #2e2e2e); color: inherit; font: inherit; font-size: .875rem; font-weight: 600; text-align: left; cursor: pointer }
    button span { display: block; font-weight: 400; color: light-dark(#495057, #b8bcc1) }
    button:hover { background: light-dark(#f8f9fa, #3b3b3b) }
    button:focus-visible { outline: 2px solid light-dark(#3b5bdb, #748ffc); outline-offset: 2px }
  `;

/** The picture of the console. */
const brand =
  '<svg aria-hidden="true" width="24" height="24" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#3b5bdb"/><path d="M8 9h7v6H8zM17 9h7v6h-7zM8 17h7v6H8z" fill="#fff"/><path d="M17 17h7v6h-7z" fill="#91a7ff"/></svg>';

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
  <title>Sign in · Appserver</title>
  <style>${styles}</style>
</head>
<body>
<header>${brand}Appserver</header>
<main>
  <h1>Sign in</h1>
  <p>Choose a user. There are no passwords here: this page exists on development servers only.</p>
  <form method="post" action="/dev/login" aria-label="Users">
    <input type="hidden" name="return_to" value="${escapeHtml(returnTo)}">
    <ul>
${buttons.join("\n")}
    </ul>
  </form>
</main>
</body>
</html>
`;
}
