import { statfs } from "node:fs/promises";
import { ask } from "../../client.ts";
import { codeOf, failureText } from "../../failure.ts";
import { AppNamesDocument } from "../../generated/operations.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { type Finding, fine, problem } from "./finding.ts";

/** A development platform writes less than this in an hour. */
const leastFreeBytes = 512 * 1024 * 1024;
const waitMs = 10_000;

interface Readiness {
  readonly checks: Readonly<Record<string, { readonly status: string; readonly message?: string }>>;
}

/** Looks at the platform: whether it responds, what it depends on, its disk, and whether it accepts the caller. */
export async function lookAtPlatform(options: GlobalOptions): Promise<readonly Finding[]> {
  const { origin } = new URL(options.http);
  const [health, ready] = [await responseOf(`${origin}/health`), await responseOf(`${origin}/ready`)];
  if (!health?.ok)
    return [
      problem(
        `no platform responds at ${origin}`,
        "start it (`npm start`, `appserver serve`), or name its address with --http or APPSERVER_HTTP_URL",
      ),
    ];
  return [
    fine(`the platform responds at ${origin}`),
    ...(await dependenciesOf(ready)),
    ...(await diskOf(await responseOf(`${origin}/dev/platform`))),
    await callerOf(options),
  ];
}

async function responseOf(url: string): Promise<Response | undefined> {
  return await fetch(url, { signal: AbortSignal.timeout(waitMs) }).catch(() => undefined);
}

async function dependenciesOf(ready: Response | undefined): Promise<readonly Finding[]> {
  const { checks } = ((await ready?.json().catch(() => undefined)) ?? { checks: {} }) as Readiness;
  return Object.entries(checks).map(([name, { status, message = "it does not respond" }]) =>
    status === "up"
      ? fine(`${name} responds`)
      : problem(
          `${name} is ${status}: ${message}`,
          `start or repair ${name}; the platform continues by itself when it is back`,
        ),
  );
}

/** A development platform on this machine says where its data is. */
async function diskOf(dev: Response | undefined): Promise<readonly Finding[]> {
  if (!dev?.ok) return [];
  const { dataFolder } = (await dev.json()) as { readonly dataFolder: string };
  const disk = await statfs(dataFolder).catch(() => undefined);
  if (!disk) return [];
  const free = disk.bavail * disk.bsize;
  const text = `the disk of ${dataFolder} has ${Math.floor(free / 1024 / 1024)} MiB left`;
  return [
    free < leastFreeBytes ? problem(text, "delete what is not needed, or set APPSERVER_DATA_DIR to another disk") : fine(text),
  ];
}

/** A user without `app:view` is refused, and accepted as a caller. */
async function callerOf(options: GlobalOptions): Promise<Finding> {
  try {
    await ask(options, AppNamesDocument, { first: 1 });
    return fine(`${options.http} accepts your calls`);
  } catch (error) {
    const code = codeOf(error);
    if (code === "PERMISSION_DENIED") return fine(`${options.http} knows you; \`appctl whoami\` shows what you may do`);
    const wayOut =
      code === undefined || code === "UNKNOWN"
        ? "--http or APPSERVER_HTTP_URL sets the address"
        : "`appctl login` or APPSERVER_TOKEN gives the session of a user";
    return problem(failureText(error, options), wayOut);
  }
}
