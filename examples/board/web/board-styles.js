/** Adopted style sheets work under a content security policy that forbids inline styles. */
export const styles = new CSSStyleSheet();

styles.replaceSync(`
  :host { display: block; }
  .column { padding: 12px; border-radius: 8px; background: var(--look-raised); }
  .column ul { min-height: 40px; margin: 0; }
  .column > form { margin: 12px 0 0; }
  .card { padding: 8px 12px; cursor: grab; }
  .text { margin: 0; overflow-wrap: anywhere; white-space: pre-wrap; }
  .buttons { gap: 4px; margin-top: 6px; }
  .buttons button { min-height: 28px; padding: 2px 8px; font-size: 13px; }
  .editor textarea { flex-basis: 100%; }
`);
