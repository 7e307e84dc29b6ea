import { parentPort } from "node:worker_threads";
import { AjvSchemas, type InputViolation } from "./ajv-schemas.ts";

/** Work for the thread. Without an input, only the schema is judged. */
export interface SchemaJob {
  readonly schema: string;
  readonly input: string | undefined;
}

/** Its result. */
export interface SchemaVerdict {
  /** Why the schema cannot be used. */
  readonly problem: string | undefined;
  readonly violations: readonly InputViolation[];
}

const schemas = new AjvSchemas();

async function judge({ schema, input }: SchemaJob): Promise<SchemaVerdict> {
  const problem = await schemas.problem(schema);
  const violations = problem === undefined && input !== undefined ? await schemas.violations(schema, input) : [];
  return { problem, violations };
}

// One job at a time: whoever sends them waits for each verdict. What a job throws ends the thread, and its sender sees why.
parentPort?.on("message", (job: SchemaJob) => {
  void judge(job).then((verdict) => parentPort?.postMessage(verdict));
});
parentPort?.postMessage("ready");
