import { IsolatedRows } from "@appserver/kernel";
import type { Assignment } from "../ports.ts";
import type { ActivityContext } from "../use-cases/context.ts";

/** Ends runs that no worker reports on. A run that cannot be ended does not stop the others. */
export class RunSweeps {
  readonly #context: Pick<ActivityContext, "runs" | "clock" | "logger">;
  readonly #expired: IsolatedRows<string>;
  readonly #overdue: IsolatedRows<string>;

  constructor(context: Pick<ActivityContext, "runs" | "clock" | "logger">) {
    const { clock, logger } = context;
    const isolated = (what: string) =>
      new IsolatedRows<string>({ what: `activity: ${what}`, keyOf: (id) => id, fields: (run) => ({ run }), clock, logger });
    this.#context = context;
    this.#expired = isolated("ending an expired run");
    this.#overdue = isolated("ending an overdue run");
  }

  /** Ends runs that no worker took in time. */
  async expire(): Promise<void> {
    const { runs } = this.#context;
    await this.#expired.runTogether(await runs.expired(this.#expired.leftOut), (ids) => runs.expire(ids));
  }

  /** Ends attempts whose time is over. `connected` are the assignments of the streams open here. */
  async endOverdue(connected: readonly Assignment[]): Promise<void> {
    const { runs } = this.#context;
    const overdue = await runs.overdue(connected, this.#overdue.leftOut);
    await this.#overdue.runTogether(overdue, (ids) => runs.endOverdue(connected, ids));
  }
}
