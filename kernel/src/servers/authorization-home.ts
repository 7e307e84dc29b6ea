import { AppError } from "../app-error.ts";
import type { Authorization } from "../platform-ports/authorization.ts";
import type { Database } from "../platform-ports/database.ts";
import { StartError } from "../start-error.ts";
import { isAlive } from "./server-presence.ts";

interface HomeRow {
  readonly driver: string | null;
  readonly is_moving: boolean;
  /** A running server with another driver. */
  readonly other: string | null;
}

const movingSeconds = 30;

/**
 * Which authorization driver has the permissions of this platform. While they are copied to another one, and until every server has
 * restarted with it, no change is accepted: a change that one driver has and the other lacks would be a permission that is not revoked.
 */
export class AuthorizationHome {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async read(): Promise<string | undefined> {
    const { rows } = await this.#database.query<{ driver: string | null }>("select driver from platform.authorization_home");
    return rows[0]?.driver ?? undefined;
  }

  /** Makes the driver the first one that has the permissions. Rejects as {@link require}. */
  async claim(driver: string): Promise<void> {
    await this.#database.query("update platform.authorization_home set driver = $1 where driver is null", [driver]);
    await this.require(driver);
  }

  /** Rejects with StartError if another driver has the permissions. */
  async require(driver: string): Promise<void> {
    const home = await this.read();
    if (home === driver || home === undefined) return;
    throw new StartError(
      `the permissions are in the authorization driver ${home}, but authorization.driver is ${driver}: expected ${home}, or \`appserver authz move --to ${driver}\` before`,
    );
  }

  /** Returns the authorization with writes that throw SERVICE_UNAVAILABLE while permissions are moved, or another server has another driver. */
  guard(authorization: Authorization, driver: string): Authorization {
    return {
      check: (request) => authorization.check(request),
      batchCheck: (requests) => authorization.batchCheck(requests),
      read: (filter) => authorization.read(filter),
      ping: (timeoutMs) => authorization.ping(timeoutMs),
      write: async (change) => {
        await this.#requireWritable(driver);
        await authorization.write(change);
        // A move that began in between may not have seen this change: the caller repeats it.
        await this.#requireWritable(driver);
      },
    };
  }

  /** Refuses changes for some seconds from now on. Called again and again while permissions are copied. Throws CONFLICT for a second move. */
  async beginMove(): Promise<void> {
    const { count } = await this.#database.query(
      `update platform.authorization_home set moving_until = clock_timestamp() + interval '${movingSeconds} seconds'
        where moving_until is null or moving_until <= clock_timestamp()`,
    );
    if (count === 0)
      throw new AppError(
        "CONFLICT",
        "permissions are being moved already, or a move was killed less than 30 seconds ago: expected one move at a time",
      );
  }

  async extendMove(): Promise<void> {
    const { count } = await this.#database.query(
      `update platform.authorization_home set moving_until = clock_timestamp() + interval '${movingSeconds} seconds'
        where moving_until > clock_timestamp()`,
    );
    if (count === 0) throw new AppError("CONFLICT", "the move took too long, and changes were accepted again: repeat it");
  }

  /** Ends the move. With a driver, that one has the permissions from now on. */
  async endMove(driver?: string): Promise<void> {
    const { count } = await this.#database.query(
      `update platform.authorization_home set driver = coalesce($1, driver), moving_until = null
        where moving_until > clock_timestamp() or $1::text is null`,
      [driver ?? null],
    );
    if (count === 0) throw new AppError("CONFLICT", "the move took too long, and changes were accepted again: repeat it");
  }

  async #requireWritable(driver: string): Promise<void> {
    const { rows } = await this.#database.query<HomeRow>(
      `select driver, coalesce(moving_until > clock_timestamp(), false) as is_moving,
              (select min(name) from platform.servers where authorization_driver <> $1 and ${isAlive}) as other
         from platform.authorization_home`,
      [driver],
    );
    const [home] = rows;
    if (home?.is_moving) throw unavailable("permissions are being moved to another driver: repeat the change in a minute");
    if (home && home.driver !== null && home.driver !== driver) {
      throw unavailable(
        `permissions were moved to the authorization driver ${home.driver}, and this server still has ${driver}: restart it with ${home.driver}`,
      );
    }
    if (home?.other)
      throw unavailable(
        `the server ${home.other} has another authorization driver than this one, ${driver}: restart it with ${driver}`,
      );
  }
}

function unavailable(message: string): AppError {
  return new AppError("SERVICE_UNAVAILABLE", message, { dependency: "authorization" });
}
