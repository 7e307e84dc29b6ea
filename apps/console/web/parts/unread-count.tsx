import { VisuallyHidden } from "@mantine/core";
import { i18n } from "../i18n.ts";

const maxShown = 99;

/** The number of messages that the viewer has not read. Nothing if there are none. */
export function UnreadCount({ count }: { readonly count: number }) {
  if (count === 0) return null;
  return (
    <span className="unread-count">
      <span aria-hidden="true">{count > maxShown ? `${maxShown}+` : count}</span>
      <VisuallyHidden>{i18n.t("{count} unread", { count })}</VisuallyHidden>
    </span>
  );
}
