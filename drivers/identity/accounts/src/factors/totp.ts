import type { Clock } from "@appserver/kernel";
import type { SqlExecutor } from "@appserver/kernel/ports";
import { Secret, TOTP } from "otpauth";
import qrcode from "qrcode-generator";
import type { Secrets } from "../people/secrets.ts";

export interface TotpDeps {
  readonly secrets: Secrets;
  readonly clock: Pick<Clock, "now">;
  readonly platformName: string;
}

const name = "totp";
const secretBytes = 20;
const periodSeconds = 30;
/** Clocks differ: the codes before and after are accepted, too. */
const window = 1;
const form = /^\d{6}$/;

/** Codes of an authenticator app (RFC 6238). Each is accepted once, by all servers together. */
export class Totp {
  readonly #deps: TotpDeps;

  constructor(deps: TotpDeps) {
    this.#deps = deps;
  }

  /** Returns a secret in base32. */
  newSecret(): string {
    return new Secret({ size: secretBytes }).base32;
  }

  async isSet(database: SqlExecutor, personId: string): Promise<boolean> {
    const { rows } = await database.query("select 1 from accounts.totp where person_id = $1", [personId]);
    return rows.length === 1;
  }

  /** Keeps a secret, if the code is one of its codes. Returns whether it is. The code cannot be used again. */
  async set(tx: SqlExecutor, personId: string, secret: string, code: string): Promise<boolean> {
    const step = this.#stepOf(secret, code);
    if (step === undefined) return false;
    await this.#deps.secrets.keep(tx, { personId, name }, secret);
    await tx.query(
      `insert into accounts.totp (person_id, last_step) values ($1, $2)
       on conflict (person_id) do update set last_step = excluded.last_step, created_at = now()`,
      [personId, step],
    );
    return true;
  }

  /** Uses a code up. Returns whether it was valid, and no code of its time or a later one was used before. */
  async use(tx: SqlExecutor, personId: string, code: string): Promise<boolean> {
    const secret = form.test(plain(code)) ? await this.#deps.secrets.read(tx, { personId, name }) : undefined;
    const step = secret === undefined ? undefined : this.#stepOf(secret, code);
    if (step === undefined) return false;
    const used = await tx.query("update accounts.totp set last_step = $2 where person_id = $1 and last_step < $2", [
      personId,
      step,
    ]);
    return used.count === 1;
  }

  /** Returns whether there was one. */
  async remove(tx: SqlExecutor, personId: string): Promise<boolean> {
    await this.#deps.secrets.remove(tx, { personId, name });
    const removed = await tx.query("delete from accounts.totp where person_id = $1", [personId]);
    return removed.count === 1;
  }

  /** Returns a picture of a secret for the camera of an authenticator app, as a data URL. */
  pictureOf(secret: string, account: string): string {
    const code = qrcode(0, "M");
    code.addData(totpOf(secret, { label: account, issuer: this.#deps.platformName }).toString());
    code.make();
    const svg = code.createSvgTag({ cellSize: 4, margin: 16, scalable: true });
    return `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`;
  }

  #stepOf(secret: string, code: string): number | undefined {
    if (!form.test(plain(code))) return undefined;
    const timestamp = this.#deps.clock.now();
    const delta = totpOf(secret).validate({ token: plain(code), timestamp, window });
    return delta === null ? undefined : Math.floor(timestamp / 1_000 / periodSeconds) + delta;
  }
}

function totpOf(secret: string, shown: { readonly label?: string; readonly issuer?: string } = {}): TOTP {
  return new TOTP({
    secret: Secret.fromBase32(secret),
    period: periodSeconds,
    digits: 6,
    algorithm: "SHA1",
    ...shown,
  });
}

/** Apps show a code in two groups. */
function plain(code: string): string {
  return code.replaceAll(/\s/g, "");
}
