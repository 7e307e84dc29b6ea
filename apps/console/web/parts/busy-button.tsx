import { Button, type ButtonProps, Loader } from "@mantine/core";
import type { ComponentPropsWithoutRef } from "react";

type Props = ButtonProps & Omit<ComponentPropsWithoutRef<"button">, keyof ButtonProps>;

/** A button that keeps the focus while its command runs, and while there is nothing to do: an element that is disabled loses it. */
export function BusyButton({ loading = false, disabled = false, leftSection, onClick, ...props }: Props) {
  const isOff = loading || disabled;
  return (
    <Button
      {...props}
      data-disabled={isOff}
      aria-disabled={isOff || undefined}
      aria-busy={loading || undefined}
      leftSection={loading ? <Loader size="xs" color="currentColor" aria-hidden /> : leftSection}
      // Also keeps it from sending a form.
      onClick={isOff ? (event) => event.preventDefault() : onClick}
    />
  );
}
