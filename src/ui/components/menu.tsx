import clsx from 'clsx'
import { Check, ChevronDown, type LucideIcon } from 'lucide-react'
import {
  type ComponentProps,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { buttonClass } from './button-class.ts'
import { placePopover } from './place-popover.ts'

const ICON_BUTTON =
  'inline-flex size-10 shrink-0 items-center justify-center rounded-lg text-ink-soft transition-colors hover:bg-sunken hover:text-ink pointer-coarse:size-11'
const ITEM_ROLE = '[role^=menuitem]'

type MenuProps = {
  /** Accessible name of the button. */
  label: string
  icon: LucideIcon
  /** Look of a button that shows its label. Default: an icon. */
  labeled?: 'primary' | 'secondary'
  /** Subject of the actions, such as a file’s name. With it, the menu is a sheet at the bottom of a phone’s screen. */
  sheetTitle?: ReactNode
  /** True for an icon button of 44 pixels with any pointer. */
  large?: boolean
  tabIndex?: number
  /** For dialogs and forms that return the focus to the button. */
  buttonRef?: RefObject<HTMLButtonElement | null>
  /** `MenuItem`, `MenuLink`, `MenuChoices` and `MenuDivider` elements. */
  children: ReactNode
}

/**
 * A button with a menu of actions. The menu is a native popover, which Escape, a click outside and every action close.
 * Arrow keys move between the items, as do the first letters of their texts. Tab leaves the menu. Items are rendered
 * only while it is open.
 */
export function Menu(props: MenuProps) {
  const { label, icon: Icon, labeled, sheetTitle, large = false, tabIndex, buttonRef, children } = props
  const id = useId()
  const ownRef = useRef<HTMLButtonElement>(null)
  const button = buttonRef ?? ownRef
  const popover = useRef<HTMLDivElement>(null)
  /** 0 while closed, else a counter: browsers report closing and reopening at once as a single event. */
  const [opened, setOpened] = useState(0)
  const open = opened > 0

  useLayoutEffect(() => {
    const menu = popover.current
    if (opened === 0 || !menu || !button.current) return
    const place = () => button.current && placePopover(menu, button.current)
    place()
    menu.querySelector<HTMLElement>(ITEM_ROLE)?.focus({ preventScroll: true })
    // A fixed menu would stay in place while its button scrolls away.
    const close = () => menu.hidePopover()
    addEventListener('scroll', close, { passive: true })
    addEventListener('resize', place)
    return () => {
      removeEventListener('scroll', close)
      removeEventListener('resize', place)
    }
  }, [opened, button])

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>) {
    // The surrounding list handles the same keys.
    event.stopPropagation()
    // Closing returns the focus to the button, and Tab continues from there.
    if (event.key === 'Tab') event.currentTarget.hidePopover()
    const items = [...event.currentTarget.querySelectorAll<HTMLElement>(ITEM_ROLE)]
    const index = items.indexOf(document.activeElement as HTMLElement)
    const next =
      { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: -1 }[event.key] ??
      nextStartingWith(event, items, index)
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
        title={labeled ? undefined : label}
        data-control="menu"
        tabIndex={tabIndex}
        className={labeled ? buttonClass(labeled) : clsx(ICON_BUTTON, large && 'size-11')}
      >
        <Icon aria-hidden="true" className="size-4" />
        {labeled && (
          <>
            <span className="max-[22.5rem]:sr-only">{label}</span>
            <ChevronDown aria-hidden="true" className="size-4" />
          </>
        )}
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
        className={clsx('menu', sheetTitle && 'sheet')}
      >
        {open && (
          <div className={sheetTitle ? 'sheet-panel' : undefined}>
            {/* Screen readers get the menu's own name. */}
            {sheetTitle && (
              <p
                aria-hidden="true"
                dir="auto"
                className="flex min-w-0 px-3 pt-2 pb-3 font-semibold sm:hidden"
              >
                {sheetTitle}
              </p>
            )}
            {children}
          </div>
        )}
      </div>
    </>
  )
}

/** Returns the index of the next item after `index` whose text starts with the typed character. */
function nextStartingWith(event: KeyboardEvent, items: HTMLElement[], index: number): number | undefined {
  const { key, ctrlKey, metaKey, altKey } = event
  if (key.length !== 1 || key === ' ' || ctrlKey || metaKey || altKey) return undefined
  const starts = (item: HTMLElement | undefined) =>
    item?.textContent.trim().toLocaleLowerCase().startsWith(key.toLocaleLowerCase())
  const found = items.findIndex((_, step) => starts(items[(index + 1 + step) % items.length]))
  return found === -1 ? undefined : index + 1 + found
}

const ITEM =
  'flex min-h-10 w-full items-center gap-2.5 rounded-md px-3 py-1.5 text-left hover:bg-sunken focus-visible:-outline-offset-2 pointer-coarse:min-h-11'

type ItemProps = {
  icon: LucideIcon
  children: ReactNode
  /** Second line, such as who can open a link. */
  hint?: string
  className?: string
}
type MenuItemProps = ItemProps & { danger?: boolean; onClick(): void }
type MenuLinkProps = Omit<ItemProps, 'hint'> &
  Pick<ComponentProps<'a'>, 'href' | 'download' | 'target' | 'rel'>

export function MenuItem({ icon, hint, danger, className, children, ...button }: MenuItemProps) {
  return (
    <button
      type="button"
      role="menuitem"
      className={clsx(ITEM, danger && 'text-danger', className)}
      {...button}
    >
      <ItemContent icon={icon} hint={hint}>
        {children}
      </ItemContent>
    </button>
  )
}

export function MenuLink({ icon, children, ...link }: MenuLinkProps) {
  return (
    <a role="menuitem" className={ITEM} {...link}>
      <ItemContent icon={icon}>{children}</ItemContent>
    </a>
  )
}

type MenuChoicesProps<T> = {
  /** Shown above the choices. */
  label: string
  value: T
  options: { value: T; label: string }[]
  onChange(value: T): void
}

/** A labeled group of choices, of which one is checked. */
export function MenuChoices<T>({ label, value, options, onChange }: MenuChoicesProps<T>) {
  return (
    <fieldset aria-label={label} className="mt-1 border-t border-line pt-1">
      <p aria-hidden="true" className="px-3 pt-1 text-xs text-ink-soft">
        {label}
      </p>
      {options.map((option) => (
        <button
          key={option.label}
          type="button"
          role="menuitemradio"
          aria-checked={option.value === value}
          className={ITEM}
          onClick={() => onChange(option.value)}
        >
          <Check
            aria-hidden="true"
            className={clsx('size-4 shrink-0 text-accent', option.value !== value && 'invisible')}
          />
          {option.label}
        </button>
      ))}
    </fieldset>
  )
}

/** A line between groups of actions. */
export function MenuDivider() {
  return <hr className="my-1 border-line" />
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
