import { ActionIcon, Group, Popover, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { type MouseEvent, useState } from "react";
import { firstIcon } from "../features/hosting/frontend-facts.ts";
import { type Frontend, frontendsQuery } from "../features/hosting/frontend-queries.ts";
import { i18n } from "../i18n.ts";
import { AppIcon } from "../parts/app-icon.tsx";
import { BusyButton } from "../parts/busy-button.tsx";
import { NotificationsIcon } from "../parts/icons.tsx";
import { notifyFailure } from "../parts/notices.tsx";
import { Failure, Loading } from "../parts/states.tsx";
import { Time } from "../parts/time.tsx";
import { UnreadCount } from "../parts/unread-count.tsx";
import { type AppMessage, markMessagesRead, messagesQuery } from "./message-queries.ts";

const markFailed = notifyFailure(i18n.t("The messages could not be marked as read"));

/** What apps tell the viewer: the number of unread messages, and below it the newest ones. */
export function MessageBell() {
  const { data: frontends = [] } = useQuery(frontendsQuery);
  const [isOpen, setOpen] = useState(false);
  const unread = frontends.reduce((sum, frontend) => sum + frontend.unread, 0);
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon
          className="bell"
          variant="default"
          size="lg"
          aria-label={unread > 0 ? i18n.t("Messages of apps, {unread} unread", { unread }) : i18n.t("Messages of apps")}
          title={i18n.t("Messages of apps")}
          onClick={() => setOpen(!isOpen)}
        >
          <NotificationsIcon />
          <UnreadCount count={unread} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown w="min(24rem, calc(100vw - 2rem))" p={0} aria-label={i18n.t("Messages of apps")}>
        <Messages frontends={frontends} unread={unread} onOpen={() => setOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}

interface MessagesProps {
  /** Messages of other apps lead to pages that the viewer may not open. */
  readonly frontends: readonly Frontend[];
  readonly unread: number;
  readonly onOpen: () => void;
}

function Messages({ frontends, unread, onOpen }: MessagesProps) {
  const { data, error, refetch } = useQuery(messagesQuery);
  if (data === undefined) return error ? <Failure error={error} retry={() => void refetch()} /> : <Loading />;
  const byName = new Map(frontends.map((frontend) => [frontend.name, frontend]));
  const shown = data.flatMap((message) => {
    const frontend = byName.get(message.appName);
    return frontend ? [{ message, frontend }] : [];
  });
  return (
    <>
      <Group justify="space-between" px="md" py="xs">
        <Text fw={600}>{i18n.t("Messages of apps")}</Text>
        <BusyButton
          size="compact-sm"
          variant="subtle"
          disabled={unread === 0}
          onClick={() => void markMessagesRead().catch(markFailed)}
        >
          {i18n.t("Mark all as read")}
        </BusyButton>
      </Group>
      {shown.length === 0 ? (
        <Text c="dimmed" px="md" pb="md">
          {i18n.t("No app has told you anything.")}
        </Text>
      ) : (
        <ul className="messages">
          {shown.map(({ message, frontend }) => (
            <li key={message.id}>
              <Message message={message} frontend={frontend} onOpen={onOpen} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

interface MessageProps {
  readonly message: AppMessage;
  readonly frontend: Frontend;
  readonly onOpen: () => void;
}

/** Leads to the page of the app. A message that is opened is read, in a tab of its own as well. */
function Message({ message: { id, title, text, path, sentAt, isRead }, frontend, onOpen }: MessageProps) {
  const { history } = useRouter();
  const open = (event: MouseEvent): void => {
    if (!isRead) void markMessagesRead([id]).catch(markFailed);
    onOpen();
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    history.push(path);
  };
  return (
    <a className="message" href={path} data-unread={!isRead || undefined} onClick={open}>
      <AppIcon icon={firstIcon(frontend)} title={frontend.displayName} />
      <span className="tile-text">
        <Text component="span" size="sm" fw={isRead ? 400 : 700} className="wrap">
          {title}
        </Text>
        {text && (
          <Text component="span" size="sm" className="message-text">
            {text}
          </Text>
        )}
        <Text component="span" size="xs" c="dimmed">
          {frontend.displayName} · <Time at={sentAt} />
        </Text>
      </span>
    </a>
  );
}
