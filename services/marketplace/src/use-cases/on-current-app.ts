import { OutdatedAppError } from "../domain/outdated-app.ts";

const attempts = 5;

/**
 * Runs a step that reads and writes an app. Repeats it if another writer changed the app in between, because the platform's own
 * updates of an app (after a probe or a deployment) must not make a command fail.
 */
export async function onCurrentApp<T>(step: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof OutdatedAppError) || attempt === attempts) throw error;
    }
  }
}
