// @ts-check
/** @typedef {{ collapseId: string | null, title: string, subtitle: string | null, body: string, imageUrl: string | null, link: string | null, data: Record<string, unknown>, at: number }} Shown */
/** @typedef {{ id: string, platform: 'ios' | 'android' | 'web', name: string, site: string, installed: boolean, shown: Shown[] }} Phone */

const place = /** @type {HTMLElement} */ (document.getElementById('phones'))
const news = /** @type {HTMLElement} */ (document.getElementById('news'))
const fault = /** @type {HTMLElement} */ (document.getElementById('fault'))
const time = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
const date = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' })
/** Time of the newest push shown, by phone. Newer ones slide in. */
const seen = new Map()

const events = new EventSource('/events')
events.onmessage = (event) => {
  say('')
  draw(JSON.parse(event.data))
}
events.onerror = () => say('The local stack does not respond. Start it again with npm run local.')

document.addEventListener('click', async (event) => {
  const button = event.target instanceof Element ? event.target.closest('button') : null
  const { action, subject } = button?.dataset ?? {}
  if (!action || button?.ariaDisabled === 'true') return
  const response = await fetch(`/${action}/${subject}`, { method: 'POST' }).catch(() => null)
  say(response?.ok ? '' : `The action failed: ${(await response?.text()) || 'no response'}`)
})

/** @param {string} text */
function say(text) {
  fault.textContent = text
  fault.hidden = text === ''
}

/** @param {Phone[]} phones */
function draw(phones) {
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset : {}
  place.replaceChildren(...phones.map(phoneOf))
  const { action, subject } = focused
  if (action) document.querySelector(`[data-action="${action}"][data-subject="${subject}"]`)?.focus()
}

/** @param {Phone} phone */
function phoneOf(phone) {
  const section = copy('phone')
  section.classList.add(phone.platform)
  section.classList.toggle('gone', !phone.installed)
  section.setAttribute('aria-label', phone.name)
  // The screen scrolls, so keyboards must be able to focus it.
  const screen = part(section, '.screen')
  screen.tabIndex = 0
  screen.setAttribute('role', 'group')
  screen.setAttribute('aria-label', `Screen of ${phone.name}`)
  part(section, '.clock').textContent = time.format(Date.now())
  part(section, '.date').textContent = date.format(Date.now())
  part(section, '.address').textContent = phone.site
  part(section, 'h2').textContent = phone.name
  part(section, '.quiet').textContent = phone.installed
    ? phone.shown.length === 0
      ? 'No pushes yet.'
      : ''
    : phone.platform === 'web'
      ? 'Notifications are off. The next push makes the server delete this browser.'
      : 'The app has been removed. The next push makes the server delete this phone.'
  const before = seen.get(phone.id) ?? 0
  part(section, 'ol').append(
    ...phone.shown.map((shown) => pushOf(phone, shown, before > 0 && shown.at > before)),
  )
  const newest = phone.shown[0]
  if (newest && before > 0 && newest.at > before)
    news.textContent = `${phone.name}: ${newest.title}. ${newest.body}`
  seen.set(phone.id, newest?.at ?? 1)
  part(section, '.actions').append(
    ...(phone.installed
      ? [
          button('uninstall', phone, phone.platform === 'web' ? 'Turn off' : 'Remove app'),
          button('clear', phone, 'Clear', phone.shown.length === 0),
        ]
      : [button('install', phone, phone.platform === 'web' ? 'Turn on again' : 'Install app again')]),
  )
  return section
}

/**
 * Returns a notification as the platform shows it, and below it what the app gets.
 * @param {Phone} phone @param {Shown} shown @param {boolean} isNew
 */
function pushOf({ site }, { title, subtitle, body, imageUrl, link, data, at }, isNew) {
  const item = copy('push')
  item.classList.toggle('new', isNew)
  part(item, 'time').textContent = time.format(at)
  part(item, '.site').textContent = site
  part(item, '.title').textContent = title
  part(item, '.body').textContent = body
  const second = part(item, '.subtitle')
  second.hidden = subtitle === null
  second.textContent = subtitle
  const image = part(item, 'img')
  if (imageUrl !== null) {
    image.addEventListener('error', () => {
      image.hidden = true
    })
    image.setAttribute('src', imageUrl)
    image.hidden = false
  }
  if (link !== null) {
    const opens = part(item, '.link')
    opens.hidden = false
    opens.append(linkOf(link))
  }
  part(item, '.data').hidden = Object.keys(data).length === 0
  part(item, 'code').textContent = JSON.stringify(data)
  return item
}

/**
 * Returns what a tap opens: a link to a web page, or text for something in an app.
 * @param {string} link
 */
function linkOf(link) {
  if (!/^https?:/i.test(link)) return `Opens ${link}`
  const opens = document.createElement('span')
  const anchor = document.createElement('a')
  anchor.href = link
  anchor.target = '_blank'
  anchor.rel = 'noreferrer'
  anchor.textContent = link
  opens.append('Opens ', anchor)
  return opens
}

/**
 * Returns a button. A disabled one stays focusable: the focus is on it after it has removed the pushes.
 * @param {string} action @param {Phone} phone @param {string} text
 */
function button(action, phone, text, disabled = false) {
  const created = document.createElement('button')
  created.type = 'button'
  created.dataset.action = action
  created.dataset.subject = phone.id
  created.textContent = text
  created.setAttribute('aria-label', `${text}: ${phone.name}`)
  if (disabled) created.ariaDisabled = 'true'
  return created
}

/** @param {string} id @returns {HTMLElement} */
function copy(id) {
  const template = /** @type {HTMLTemplateElement} */ (document.getElementById(id))
  return /** @type {HTMLElement} */ (template.content.firstElementChild?.cloneNode(true))
}

/** @param {HTMLElement} element @param {string} selector @returns {HTMLElement} */
function part(element, selector) {
  return /** @type {HTMLElement} */ (element.querySelector(selector))
}
