import { Affix, Notification, Stack } from "@mantine/core";
import { ApiError } from "../api/api-error.ts";
import { Store, useStore } from "../api/store.ts";
import { i18n } from "../i18n.ts";
import { TraceLink } from "./trace-link.tsx";

interface Notice {
  readonly id: number;
  readonly title: string;
  readonly message?: string | undefined;
  readonly isFailure: boolean;
  /** Of the request that failed. */
  readonly requestId: string | undefined;
}

const notices: Store<readonly Notice[]> = new Store<readonly Notice[]>([]);
const shownMs = 6_000;
let lastId = 0;

function add(notice: Omit<Notice, "id">): void {
  lastId += 1;
  const id = lastId;
  notices.set([...notices.get().slice(-3), { id, ...notice }]);
  // What failed stays until it is closed.
  if (!notice.isFailure) setTimeout(() => close(id), shownMs);
}

function close(id: number): void {
  notices.set(notices.get().filter((each) => each.id !== id));
}

export function notify(title: string, message?: string): void {
  add({ title, message, isFailure: false, requestId: undefined });
}

/** Returns a handler of rejections that shows them. */
export function notifyFailure(title: string): (error: unknown) => void {
  return (error) => {
    const message = error instanceof Error ? error.message : String(error);
    add({ title, message, isFailure: true, requestId: error instanceof ApiError ? error.requestId : undefined });
  };
}

export function Notices() {
  return (
    <Affix position={{ bottom: 16, right: 16 }} role="region" aria-label={i18n.t("Notices")}>
      <Stack gap="xs" aria-live="polite" maw="min(400px, calc(100vw - 32px))">
        {useStore(notices).map(({ id, title, message, isFailure, requestId }) => (
          <Notification
            key={id}
            title={title}
            color={isFailure ? "red" : "teal"}
            withBorder
            onClose={() => close(id)}
            closeButtonProps={{ "aria-label": i18n.t("Close the notice") }}
          >
            {message}
            {requestId && (
              <div>
                <TraceLink id={requestId}>{i18n.t("Show trace")}</TraceLink>
              </div>
            )}
          </Notification>
        ))}
      </Stack>
    </Affix>
  );
}
