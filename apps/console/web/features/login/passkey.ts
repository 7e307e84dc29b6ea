import type { PasskeyNode } from "@appserver/contracts/sign-in";
import { i18n } from "../../i18n.ts";

/** Makes or uses a passkey. Returns what is sent to the platform, as JSON. Rejects with an error for the person. */
export async function askPasskey({ attributes: { ceremony, options } }: PasskeyNode): Promise<string> {
  if (typeof PublicKeyCredential === "undefined" || !("parseRequestOptionsFromJSON" in PublicKeyCredential)) {
    throw new Error(i18n.t("This browser cannot use passkeys here."));
  }
  const credential = await (ceremony === "create" ? create(options) : get(options)).catch((error: unknown) => {
    throw new Error(reasonOf(error), { cause: error });
  });
  if (!(credential instanceof PublicKeyCredential)) throw new Error(i18n.t("No passkey was used. Try again."));
  return JSON.stringify(credential.toJSON());
}

function create(options: object): Promise<Credential | null> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON);
  return navigator.credentials.create({ publicKey });
}

function get(options: object): Promise<Credential | null> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON);
  return navigator.credentials.get({ publicKey });
}

/** Browsers do not say whether the person has refused, or has no passkey. */
function reasonOf(error: unknown): string {
  const name = error instanceof Error ? error.name : "";
  if (name === "InvalidStateError") return i18n.t("This device has a passkey for this account already.");
  return name === "NotAllowedError"
    ? i18n.t("No passkey was used. Try again.")
    : i18n.t("The passkey cannot be used: {error}", { error });
}
