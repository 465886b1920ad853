// @ts-check
/** @typedef {{ id: number, from: string, to: string[], subject: string, text: string, at: number }} Email */

const list = element('emails')
const open = element('open')
const title = /** @type {HTMLElement} */ (open.querySelector('h2'))
const fault = element('fault')
const time = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })
const exactTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' })
/** Wide screens show the list and an email side by side. */
const wide = matchMedia('(width > 48rem)')
/** @type {Email[]} The newest first. */
let received = []
/** ID of the open email. */
let opened = 0
/** ID of the newest email shown; -1 if none has been. */
let newest = -1

const events = new EventSource('/events')
events.onmessage = (event) => {
  say('')
  draw(JSON.parse(event.data))
}
wide.addEventListener('change', () => draw(received))
events.onerror = () => say('The local stack does not respond. Start it again with npm run local.')

element('clear').addEventListener('click', async ({ currentTarget }) => {
  if (/** @type {HTMLElement} */ (currentTarget).ariaDisabled === 'true') return
  const response = await fetch('/clear', { method: 'POST' }).catch(() => null)
  say(response?.ok ? '' : 'The mailbox could not be emptied. Try again.')
})

// Only narrow screens have the button.
element('back').addEventListener('click', () => {
  const button = /** @type {HTMLElement | null} */ (list.querySelector(`[data-id="${opened}"]`))
  button?.removeAttribute('aria-current')
  close()
  button?.focus()
})

/** @param {string} id @returns {HTMLElement} */
function element(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id))
}

/** @param {string} text */
function say(text) {
  fault.textContent = text
  fault.hidden = text === ''
}

/** @param {Email[]} emails */
function draw(emails) {
  received = emails
  const focused =
    document.activeElement instanceof HTMLElement ? document.activeElement.dataset.id : undefined
  list.replaceChildren(...emails.map(row))
  element('empty').hidden = emails.length > 0
  // Stays focusable: the focus is on it after it has emptied the mailbox.
  element('clear').ariaDisabled = String(emails.length === 0)
  const [first] = emails
  if (first && newest >= 0 && first.id > newest)
    element('news').textContent = `New email to ${first.to.join(', ')}: ${first.subject}`
  newest = first?.id ?? 0
  if (!emails.some(({ id }) => id === opened)) close()
  // Beside the list, there would be an empty space.
  if (first && open.hidden && wide.matches) show(first)
  if (focused) /** @type {HTMLElement | null} */ (list.querySelector(`[data-id="${focused}"]`))?.focus()
}

/** @param {Email} mail */
function row(mail) {
  const template = /** @type {HTMLTemplateElement} */ (element('mail'))
  const item = /** @type {HTMLElement} */ (template.content.firstElementChild?.cloneNode(true))
  const button = /** @type {HTMLElement} */ (item.firstElementChild)
  button.dataset.id = String(mail.id)
  if (mail.id === opened) button.setAttribute('aria-current', 'true')
  fill(button, '.subject', mail.subject)
  fill(button, '.reader', mail.to.join(', '))
  const isToday = day.format(mail.at) === day.format(Date.now())
  fill(button, 'time', (isToday ? time : day).format(mail.at))
  button.addEventListener('click', () => {
    show(mail)
    title.focus()
  })
  return item
}

/** @param {HTMLElement} parent @param {string} selector @param {string} text */
function fill(parent, selector, text) {
  const found = parent.querySelector(selector)
  if (found) found.textContent = text
}

/**
 * Fills an element with emails, which wrap after the "@", and elsewhere only if a part does not fit on a line.
 * @param {HTMLElement} target @param {string} text
 */
function fillEmails(target, text) {
  const parts = text.split(/(?<=@)/).flatMap((part) => [part, document.createElement('wbr')])
  target.replaceChildren(...parts)
}

/** @param {Email} mail */
function show(mail) {
  opened = mail.id
  for (const button of list.querySelectorAll('button'))
    button.ariaCurrent = button.dataset.id === String(mail.id) ? 'true' : null
  title.textContent = mail.subject
  fillEmails(element('from'), mail.from)
  fillEmails(element('to'), mail.to.join(', '))
  const frame = /** @type {HTMLIFrameElement} */ (open.querySelector('iframe'))
  // Another one, so that nobody clicks in the previous email until this one is loaded.
  const fresh = /** @type {HTMLIFrameElement} */ (frame.cloneNode())
  fresh.src = `/emails/${mail.id}`
  frame.replaceWith(fresh)
  element('time').textContent = exactTime.format(mail.at)
  element('alone').setAttribute('href', `/emails/${mail.id}`)
  element('raw').setAttribute('href', `/emails/${mail.id}/raw`)
  open.hidden = false
}

function close() {
  opened = 0
  open.hidden = true
}
