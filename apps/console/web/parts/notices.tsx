import { Affix, Notification, Stack } from "@mantine/core";
import { Store, useStore } from "../api/store.ts";

interface Notice {
  readonly id: number;
  readonly title: string;
  readonly message?: string | undefined;
  readonly isFailure: boolean;
}

const notices: Store<readonly Notice[]> = new Store<readonly Notice[]>([]);
const shownMs = 6_000;
let lastId = 0;

function add(title: string, message: string | undefined, isFailure: boolean): void {
  lastId += 1;
  const id = lastId;
  notices.set([...notices.get().slice(-3), { id, title, message, isFailure }]);
  // What failed stays until it is closed.
  if (!isFailure) setTimeout(() => close(id), shownMs);
}

function close(id: number): void {
  notices.set(notices.get().filter((each) => each.id !== id));
}

export function notify(title: string, message?: string): void {
  add(title, message, false);
}

/** Returns a handler of rejections that shows them. */
export function notifyFailure(title: string): (error: unknown) => void {
  return (error) => add(title, error instanceof Error ? error.message : String(error), true);
}

export function Notices() {
  return (
    <Affix position={{ bottom: 16, right: 16 }} role="region" aria-label="Notices">
      <Stack gap="xs" aria-live="polite" maw="min(400px, calc(100vw - 32px))">
        {useStore(notices).map(({ id, title, message, isFailure }) => (
          <Notification
            key={id}
            title={title}
            color={isFailure ? "red" : "teal"}
            withBorder
            onClose={() => close(id)}
            closeButtonProps={{ "aria-label": "Close the notice" }}
          >
            {message}
          </Notification>
        ))}
      </Stack>
    </Affix>
  );
}
