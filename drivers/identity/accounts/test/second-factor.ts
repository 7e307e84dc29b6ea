import assert from "node:assert/strict";
import { Secret, TOTP } from "otpauth";
import type { AccountsUnderTest, Browser, Page } from "./accounts-under-test.ts";
import type { CeremonyOptions, SoftwareAuthenticator } from "./software-authenticator.ts";

export const settings = "/self-service/settings?flow=settings";
export const login = "/self-service/login?flow=login";
export const secondStep = "/self-service/login?flow=second-factor";

/** Returns the code of a secret, of now or so many periods later. */
export function codeOf(secret: string, periods = 0): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + periods * 30_000 });
}

/** Sets up an authenticator app. With `forget`, its code of now can be used again. */
export async function setUpTotp(accounts: AccountsUnderTest, browser: Browser, userId: string) {
  const asked = await browser.post(settings, { totp_setup: "true" });
  const secret = textOf(asked, "totp_secret");
  const state = fieldValue(asked, "totp_setup_state");
  const page = await browser.post(settings, { method: "totp", totp_setup_state: state, totp_code: codeOf(secret) });
  assert.equal(page.status, 200, messageOf(page));
  const forget = async (): Promise<void> => {
    await accounts.database.database.query("update accounts.totp set last_step = 0 where person_id = $1", [userId]);
  };
  await forget();
  return { secret, codes: codesIn(page), page, forget };
}

export async function addPasskey(browser: Browser, authenticator: SoftwareAuthenticator, name = "Key"): Promise<Page> {
  const asked = await browser.post(settings, { passkey_add: "true" });
  const options = passkeyIn(asked);
  assert.ok(options, messageOf(asked));
  const passkey = authenticator.create(options);
  const state = fieldValue(asked, "passkey_setup_state");
  return await browser.post(settings, { passkey_setup_state: state, passkey_name: name, passkey });
}

/** Returns the options of the passkey that a page asks for. */
export function passkeyIn({ body }: Page): CeremonyOptions | undefined {
  return body.ui?.nodes.find(({ type }) => type === "passkey")?.attributes.options;
}

export function fieldValue({ body }: Page, name: string): string {
  return body.ui?.nodes.find(({ attributes }) => attributes.name === name)?.attributes.value ?? "";
}

export function textOf({ body }: Page, id: string): string {
  return body.ui?.nodes.find(({ attributes }) => attributes.id === id)?.attributes.text?.text ?? "";
}

export function codesIn({ body }: Page): readonly string[] {
  const node = body.ui?.nodes.find(({ attributes }) => attributes.id === "lookup_secret_codes");
  return node?.attributes.text?.context?.secrets?.map(({ text }) => text) ?? [];
}

/** Returns all that a page says. */
export function messageOf({ body }: Page): string {
  const ofFields = body.ui?.nodes.flatMap(({ messages }) => messages) ?? [];
  return [...(body.ui?.messages ?? []), ...ofFields, { text: body.error?.reason ?? "" }].map(({ text }) => text).join(" ");
}

export function fieldsOf({ body }: Page): readonly string[] {
  return body.ui?.nodes.map(({ attributes: { name = "", type } }) => (type === "hidden" ? "" : name)).filter(Boolean) ?? [];
}

/** Whether the page continues with the second factor. */
export function isAsked({ status, body }: Page): boolean {
  return status === 422 && body.redirect_browser_to === "/login?aal=aal2";
}
