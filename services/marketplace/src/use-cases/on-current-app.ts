import { OutdatedAppError } from "../domain/outdated-app.ts";

const attempts = 5;

/**
 * Runs a step that reads and writes an app. Repeats it if another writer changed the app in between, because the platform's own
 * updates of an app (after a probe or a deployment) must not make a command fail. The step gets the number of the attempt, from
 * 1: after the first, it must read the app again.
 */
export async function onCurrentApp<T>(step: (attempt: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await step(attempt);
    } catch (error) {
      if (!(error instanceof OutdatedAppError) || attempt === attempts) throw error;
    }
  }
}
