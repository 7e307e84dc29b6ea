/** Adopted style sheets work under a content security policy that forbids inline styles. */
export const styles = new CSSStyleSheet();

styles.replaceSync(`
  :host {
    --ink: light-dark(#1c2230, #e9ecf3);
    --soft: light-dark(#566075, #a9b3c6);
    --line: light-dark(#d9dee8, #3a4356);
    --lane: color-mix(in srgb, currentColor 5%, transparent);
    --paper: light-dark(#ffffff, #31363f);
    --accent: light-dark(#2f5fd0, #8fb0ff);
    display: block;
    color: var(--ink);
    font: 1rem / 1.5 system-ui, sans-serif;
  }
  * { box-sizing: border-box; }
  main { max-width: 70rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
  header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.25rem 1rem; margin-bottom: 1rem; }
  h1 { margin: 0; font-size: 1.625rem; }
  .status { margin: 0; color: var(--soft); }
  .columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: 1rem; align-items: start; }
  .column { padding: 0.75rem; border-radius: 0.75rem; background: var(--lane); }
  h2 { margin: 0 0 0.5rem; font-size: 0.9375rem; color: var(--soft); }
  ul { display: grid; gap: 0.5rem; min-height: 2.5rem; margin: 0; padding: 0; list-style: none; }
  .card { padding: 0.625rem 0.75rem; border: 1px solid var(--line); border-radius: 0.5rem; background: var(--paper); cursor: grab; }
  .text { margin: 0; overflow-wrap: anywhere; white-space: pre-wrap; }
  .author { font-size: 0.8125rem; color: var(--soft); }
  .buttons { display: flex; flex-wrap: wrap; gap: 0.25rem; margin-top: 0.375rem; }
  [hidden] { display: none !important; }
  button {
    min-height: 1.75rem; padding: 0.125rem 0.5rem; border: 1px solid var(--line); border-radius: 0.375rem;
    color: inherit; background: transparent; font: inherit; font-size: 0.8125rem; cursor: pointer;
  }
  button:hover { border-color: var(--accent); }
  button[type="submit"] { border-color: var(--accent); color: var(--accent); font-weight: 600; }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
  form { display: flex; flex-wrap: wrap; gap: 0.5rem; margin-top: 0.75rem; }
  .editor { margin: 0 0 0.375rem; }
  input, textarea {
    flex: 1 1 9rem; min-width: 0; padding: 0.375rem 0.625rem; border: 1px solid var(--line); border-radius: 0.375rem;
    color: inherit; background: var(--paper); font: inherit;
  }
  textarea { flex-basis: 100%; resize: vertical; }
  ::placeholder { color: var(--soft); opacity: 1; }
`);
