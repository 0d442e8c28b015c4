import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

// A modal dialog of the browser: it keeps the focus, gives it back, and Escape closes it.
export function Dialog(props: { label: string; close: () => void; class?: string; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const shown = dialog.current!;
    const before = document.activeElement as HTMLElement | null;
    shown.showModal();
    return () => {
      shown.close();
      if (before?.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={props.class ?? ""}
      aria-label={props.label}
      onCancel={(event) => {
        event.preventDefault();
        props.close();
      }}
      onClick={(event) => event.target === dialog.current && props.close()}
    >
      {props.children}
    </dialog>
  );
}
