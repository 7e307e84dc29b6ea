import { AppError } from "@appserver/kernel";

/** CONFLICT: another command works on the app. A retry may succeed. */
export class BusyAppError extends AppError {
  constructor(appName: string) {
    super("CONFLICT", `another command is running on ${appName}; try again`, { details: { app: appName } });
  }
}
