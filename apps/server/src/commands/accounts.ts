import type { AdminContext } from "../compose/admin.ts";
import { loadServeConfig } from "../config/load-config.ts";
import { openLog } from "../log/open-log.ts";
import { usageOf } from "../usage.ts";
import { refuseWords, UsageError } from "../usage-error.ts";

/** The flags of `appserver accounts invite` that are no options. */
export interface InviteFlags {
  readonly admin?: boolean;
  readonly email?: string;
  readonly name?: string;
}

type Write = (text: string) => void;

/** Runs `appserver accounts …`, which changes accounts as an operator. Returns the exit code. Throws UsageError for other words. */
export async function accounts(
  [command = "", ...words]: readonly string[],
  invited: InviteFlags,
  flags: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string | undefined>>,
  write: Write,
): Promise<number> {
  const isInvitation = command === "invite";
  if (!isInvitation && !ofOneAccount.has(command)) throw new UsageError(usageOf("accounts") ?? "");
  const [identity] = words;
  if (!isInvitation && identity === undefined) throw new UsageError(usageOf("accounts") ?? "");
  const form = isInvitation ? "invite [--admin] [--email <address>] [--name <name>]" : `${command} <identity>`;
  refuseWords(words.slice(isInvitation ? 0 : 1), `appserver accounts ${form}`);
  const config = await loadServeConfig(flags, environment);
  const logger = openLog({ service: "appserver", level: config.telemetry.logLevel, output: "standard error" });
  const context = { config, logger, signal: AbortSignal.timeout(300_000) };
  if (isInvitation) return await invite(context, invited, write);
  return (await ofOneAccount.get(command)?.(context, identity ?? "", write)) ?? 0;
}

async function invite(context: AdminContext, invited: InviteFlags, write: Write): Promise<number> {
  const { invite: send } = await import("../compose/admin.ts");
  const { path, endsAt } = await send(context, invited);
  const { publicUrl, httpPort } = context.config.server;
  write(`${new URL(path, publicUrl ?? `http://127.0.0.1:${httpPort}`).href}\n`);
  console.error(`The link works once, until ${endsAt.toISOString()}.`);
  return 0;
}

type AccountCommand = (context: AdminContext, identity: string, write: Write) => Promise<number>;

/** The commands about one account, by an address or an id. */
const ofOneAccount: ReadonlyMap<string, AccountCommand> = new Map<string, AccountCommand>([
  [
    "disable",
    async (context, identity, write) => {
      const { setAccountActive } = await import("../compose/admin.ts");
      write(`${await setAccountActive(context, identity, false)} is disabled: all sessions have ended\n`);
      return 0;
    },
  ],
  [
    "enable",
    async (context, identity, write) => {
      const { setAccountActive } = await import("../compose/admin.ts");
      write(`${await setAccountActive(context, identity, true)} can sign in\n`);
      return 0;
    },
  ],
  [
    "remove",
    async (context, identity, write) => {
      const { removeAccount } = await import("../compose/admin.ts");
      write(`${await removeAccount(context, identity)} is removed, with all that the person was given\n`);
      return 0;
    },
  ],
  [
    "export",
    async (context, identity, write) => {
      const { exportPerson } = await import("../compose/admin.ts");
      write(`${JSON.stringify(await exportPerson(context, identity), undefined, 2)}\n`);
      return 0;
    },
  ],
]);
