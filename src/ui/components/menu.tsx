'use client'

import clsx from 'clsx'
import type { LucideIcon } from 'lucide-react'
import {
  type ComponentProps,
  type KeyboardEvent,
  type ReactNode,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'

/** Room between the button and its menu, in pixels. */
const GAP = 4
const ITEM_ROLE = '[role=menuitem]'

type MenuProps = {
  /** Accessible name of the button. */
  label: string
  icon: LucideIcon
  /** MenuItem and MenuLink elements. */
  children: ReactNode
} & Pick<ComponentProps<'button'>, 'className'>

/**
 * A button with a menu of actions: a native popover, which Escape, a click outside and every action close. Its items
 * have the arrow keys; tab leaves it. They are rendered only while it is open.
 */
export function Menu({ label, icon: Icon, className, children }: MenuProps) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const popover = useRef<HTMLDivElement>(null)
  /** Counts: closed and opened again at once is told as one event. 0: closed. */
  const [opened, setOpened] = useState(0)
  const open = opened > 0

  useLayoutEffect(() => {
    const menu = popover.current
    if (opened === 0 || !menu || !button.current) return
    const { top, bottom, right } = button.current.getBoundingClientRect()
    const above = bottom + GAP + menu.offsetHeight > innerHeight && top > menu.offsetHeight
    menu.style.top = `${above ? top - GAP - menu.offsetHeight : bottom + GAP}px`
    menu.style.right = `${Math.max(GAP, document.documentElement.clientWidth - right)}px`
    menu.querySelector<HTMLElement>(ITEM_ROLE)?.focus({ preventScroll: true })
    // It would stay where it is while its button moves away.
    const close = () => menu.hidePopover()
    addEventListener('scroll', close, { passive: true })
    return () => removeEventListener('scroll', close)
  }, [opened])

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>) {
    // The list around the menu has keys of its own.
    event.stopPropagation()
    // The browser goes on from the button, which has the focus again then.
    if (event.key === 'Tab') event.currentTarget.hidePopover()
    const items = [...event.currentTarget.querySelectorAll<HTMLElement>(ITEM_ROLE)]
    const at = items.indexOf(document.activeElement as HTMLElement)
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key]
    if (next === undefined) return
    event.preventDefault()
    items.at(next % items.length)?.focus()
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        popoverTarget={id}
        aria-haspopup="menu"
        aria-label={label}
        aria-expanded={open}
        title={label}
        data-control="menu"
        className={clsx(
          'inline-flex size-10 shrink-0 items-center justify-center rounded-lg text-ink-soft transition-colors hover:bg-sunken hover:text-ink pointer-coarse:size-11',
          className,
        )}
      >
        <Icon aria-hidden="true" className="size-4" />
      </button>
      <div
        ref={popover}
        id={id}
        popover="auto"
        role="menu"
        aria-label={label}
        tabIndex={-1}
        onToggle={({ newState }) => setOpened((count) => (newState === 'open' ? count + 1 : 0))}
        onKeyDown={onKeyDown}
        onClick={(event) => event.currentTarget.hidePopover()}
        className="menu"
      >
        {open && children}
      </div>
    </>
  )
}

const ITEM =
  'flex min-h-10 w-full items-center gap-2.5 rounded-md px-3 py-1.5 text-left hover:bg-sunken focus-visible:-outline-offset-2 pointer-coarse:min-h-11'

type ItemProps = {
  icon: LucideIcon
  children: ReactNode
  /** A second line, such as who can open a link. */
  hint?: string
}

export function MenuItem({
  icon,
  hint,
  danger,
  children,
  ...button
}: ItemProps & { danger?: boolean; onClick(): void }) {
  return (
    <button type="button" role="menuitem" className={clsx(ITEM, danger && 'text-danger')} {...button}>
      <ItemContent icon={icon} hint={hint}>
        {children}
      </ItemContent>
    </button>
  )
}

export function MenuLink({
  icon,
  hint,
  children,
  ...link
}: ItemProps & Pick<ComponentProps<'a'>, 'href' | 'download' | 'target' | 'rel'>) {
  return (
    <a role="menuitem" className={ITEM} {...link}>
      <ItemContent icon={icon} hint={hint}>
        {children}
      </ItemContent>
    </a>
  )
}

function ItemContent({ icon: Icon, hint, children }: ItemProps) {
  return (
    <>
      <Icon aria-hidden="true" className="size-4 shrink-0" />
      <span>
        {children}
        {hint && <span className="block text-xs text-ink-soft">{hint}</span>}
      </span>
    </>
  )
}
