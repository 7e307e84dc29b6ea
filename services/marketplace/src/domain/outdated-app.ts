import { AppError } from "@appserver/kernel";

/** CONFLICT: the app was changed between reading and writing it. A retry with the new record may succeed. */
export class OutdatedAppError extends AppError {
  constructor(appName: string) {
    super("CONFLICT", `${appName} was changed by another command at the same time; try again`, { details: { app: appName } });
  }
}
