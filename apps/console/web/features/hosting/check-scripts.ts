import type { ErrorBody } from "@appserver/contracts/errors";
import { i18n } from "../../i18n.ts";

/** A script of a page, and the hash of the manifest. */
interface PageScript {
  readonly url: string;
  readonly integrity: string;
}

/**
 * Reads the scripts of a page and compares them with their hashes, so that it can be said which one is wrong. Browsers keep them: the
 * page does not load them again. Rejects with the reason for the first script that is wrong or missing.
 */
export async function checkScripts(scripts: readonly PageScript[]): Promise<void> {
  await Promise.all(scripts.map(checkScript));
}

async function checkScript({ url, integrity }: PageScript): Promise<void> {
  const response = await fetch(url, { integrity, credentials: "omit" }).catch(() => undefined);
  if (response?.ok) return;
  const file = decodeURIComponent(url.split("/").at(-1) ?? url);
  const unchecked = response ?? (await fetch(url, { credentials: "omit", cache: "no-store" }).catch(() => undefined));
  if (!unchecked) throw new Error(`${file} could not be loaded: the platform does not respond`);
  if (unchecked.ok) throw new Error(`${file} was changed: its bytes do not match the hash in the manifest, so it was not run`);
  throw new Error(`${file} could not be loaded: ${await reasonOf(unchecked)}`);
}

async function reasonOf(response: Response): Promise<string> {
  const body = (await response.json().catch(() => undefined)) as Partial<ErrorBody> | undefined;
  return typeof body?.error === "string"
    ? body.error
    : i18n.t("the platform responded with {status}", { status: response.status });
}
