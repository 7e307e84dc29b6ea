import { devicePaths } from "@appserver/contracts/command-line";
import { escapeHtml } from "@appserver/kernel";
import { plainPage } from "../plain-page.ts";
import type { DeviceRequest, ShownRequest } from "./device-logins.ts";
import { shownCode } from "./user-code.ts";

export interface CodePage {
  /** What the field contains. */
  readonly typed: string;
  readonly isWrong?: boolean;
}

/** Returns the page with the field for a code. It does not say why a code is wrong. */
export function codePage({ typed, isWrong = false }: CodePage): string {
  const problem = isWrong
    ? `<p role="alert">This code is not valid. A code is valid for ten minutes, and for one login. You have five tries in ten minutes.</p>`
    : "";
  return plainPage({
    title: "Sign in a device",
    content: `<p>Type the code that <code>appctl login --device</code> shows.</p>
  ${problem}
  <form method="get" action="${devicePaths.page}">
    <input name="user_code" value="${escapeHtml(typed.slice(0, 16))}" aria-label="Code" placeholder="XXXX-XXXX" size="12" maxlength="16"
      autocomplete="off" autocapitalize="characters" spellcheck="false" required autofocus>
    <button type="submit">Continue</button>
  </form>`,
  });
}

/** Returns the page on which a user allows or denies a request. */
export function requestPage(request: ShownRequest, displayName: string): string {
  const { userCode, ticket, device, address, requestedAt } = request;
  return plainPage({
    title: `Let appctl on another device act as ${displayName}?`,
    content: `<p>A device asks for your session. It may do all that you may do here, until you sign out.</p>
  <p>Name that it gives itself: <strong>${escapeHtml(device)}</strong><br>
  Network address: <strong>${escapeHtml(address)}</strong><br>
  Asked at: <strong>${timeText(requestedAt)}</strong><br>
  Code: <strong>${shownCode(userCode)}</strong></p>
  <p>Allow it only if you yourself have run <code>appctl login --device</code> there, and it shows this code. If another person has sent you
  the code or a link, do not allow it: that person would act as you.</p>
  <form method="post" action="${devicePaths.page}">
    <input type="hidden" name="user_code" value="${userCode}">
    <input type="hidden" name="ticket" value="${ticket}">
    <button type="submit" name="decision" value="allow">Allow</button>
    <button type="submit" name="decision" value="deny">Do not allow</button>
  </form>`,
  });
}

/** Returns the page that follows the form of {@link requestPage}. */
export function decidedPage({ device }: DeviceRequest, isAllowed: boolean): string {
  const shown = `<strong>${escapeHtml(device)}</strong>`;
  return isAllowed
    ? plainPage({ title: "The device has your session", content: `<p>${shown} acts as you now. You can close this page.</p>` })
    : plainPage({ title: "Not allowed", content: `<p>${shown} does not get your session. You can close this page.</p>` });
}

/** `2026-07-01 12:30:05 UTC`. The page has no scripts that know the time zone of its user. */
function timeText(moment: number): string {
  return `${new Date(moment).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
