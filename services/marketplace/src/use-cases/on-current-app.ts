import { OutdatedAppError } from "../domain/outdated-app.ts";

const attempts = 5;

/**
 * Runs a step that reads an app and writes it; once more when another writer came between, for what the platform notes
 * about an app by itself (a probe, a deployment) must not fail a command.
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
