import { escapeHtml } from "@appserver/kernel";
import { plainPage } from "../plain-page.ts";
import { agentPaths } from "./agent-origin.ts";
import type { AppChoices, AskedConsent } from "./agent-sign-in.ts";

/** For how many days a person can give something, the first one by default. */
export const consentDays: readonly number[] = [30, 1, 7, 90];

interface ConsentPage {
  readonly asked: AskedConsent;
  readonly displayName: string;
  readonly choices: AppChoices;
  readonly ticket: string;
  /** What is wrong with an earlier decision. */
  readonly problem?: string | undefined;
}

/** Returns the page on which a person lets a program act for them. */
export function consentPage({ asked, displayName, choices, ticket, problem }: ConsentPage): string {
  const { uid, publisher, redirectUri, asksToAct } = asked;
  const name = shownName(asked);
  const from =
    publisher === undefined
      ? "The program has named itself so: nothing proves who made it."
      : `Its description is published by <strong>${escapeHtml(publisher)}</strong>.`;
  return plainPage({
    title: `Let ${name} act as ${displayName}?`,
    content: `<p class="lead">${from} It sends what it reads here to a language model, and the model decides what it does.</p>
  ${problem === undefined ? "" : `<p role="alert">${escapeHtml(problem)}</p>`}
  <form method="post" action="${agentPaths.consent}/${encodeURIComponent(uid)}">
    <input type="hidden" name="ticket" value="${escapeHtml(ticket)}">
    <fieldset>
      <legend>What it may do</legend>
      <label><input type="radio" name="effect" value="read" checked> Read what you may read</label>
      ${asksToAct ? `<label><input type="radio" name="effect" value="act"> Read and change what you may change</label>` : ""}
    </fieldset>
    <fieldset>
      <legend>Where</legend>
      <label><input type="radio" name="where" value="all" checked> In all apps, and on the platform</label>
      ${choices.apps.length > 0 ? `<label><input type="radio" name="where" value="apps"> Only in these apps</label>${appBoxes(choices)}` : ""}
    </fieldset>
    <label>For how long
      <select name="days">${consentDays.map((days) => `<option value="${days}">${days === 1 ? "1 day" : `${days} days`}</option>`).join("")}</select>
    </label>
    <p>It never gets more than you have, and never secrets. You can take it back in the menu of your name, under <em>Agents</em>. With the answer,
    your browser goes to <strong>${escapeHtml(targetOf(redirectUri))}</strong>.</p>
    <button type="submit" name="decision" value="allow">Allow</button>
    <button type="submit" name="decision" value="deny">Do not allow</button>
  </form>`,
  });
}

/** Returns the page for a request that has ended. */
export function endedPage(): string {
  return plainPage({
    title: "This request has ended",
    content: `<p>It was answered, or is older than ten minutes. Start the sign-in again in the program.</p>`,
  });
}

function appBoxes({ apps, hasMore }: AppChoices): string {
  const boxes = apps.map(
    ({ name, displayName }) =>
      `<label><input type="checkbox" name="app" value="${escapeHtml(name)}"> ${escapeHtml(displayName)} <code>${escapeHtml(name)}</code></label>`,
  );
  const more = hasMore ? `<p>Only the first ${apps.length} apps are shown.</p>` : "";
  return `<div class="inner">${boxes.join("")}${more}</div>`;
}

/** The program chooses its name: nothing in it may change the lines or the direction of writing of the page. */
function shownName({ clientName, publisher }: AskedConsent): string {
  const words = (clientName ?? "").replace(/[\p{C}\p{Z}]+/gu, " ").trim();
  return [...words].slice(0, 60).join("") || publisher || "a program without a name";
}

/** The host, or the scheme that a program of this machine has registered. */
function targetOf(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri);
  return protocol === "https:" || protocol === "http:" ? host : protocol;
}
