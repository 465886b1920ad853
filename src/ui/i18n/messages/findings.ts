import type { Locale } from '../locales.ts'

/** Name of a check of doctor, and what to do if it warns or fails. */
export type FindingText = { name: string; advice: string }

/** By check. Only the health page gets them, in its own language. */
export type FindingTexts = Record<string, FindingText>

const en = {
  environment: { name: 'Environment variables', advice: 'Check the variable named in the details.' },
  policies: { name: 'Upload policies', advice: 'Check UPLOAD_POLICIES_FILE.' },
  apps: { name: 'Apps', advice: 'Check PUSH_APPS_FILE.' },
  database: { name: 'Database', advice: 'Check DATABASE_URL and whether the database is running.' },
  'database-connection': {
    name: 'Database connection',
    advice: 'Check DATABASE_URL and whether the database is running.',
  },
  'database-version': { name: 'PostgreSQL version', advice: 'Install a newer version.' },
  'database-migrations': {
    name: 'Database migrations',
    advice: 'Run npm run db:migrate, or start the release that the database belongs to.',
  },
  'database-hosts': {
    name: 'Database hosts',
    advice: 'Repair hosts that do not accept connections. Keep exactly one primary.',
  },
  'database-connections': {
    name: 'Database connection limit',
    advice: 'Raise max_connections, or run fewer replicas.',
  },
  'database-clock': { name: 'Database clock', advice: 'Synchronize the clocks with NTP.' },
  'storage-ceiling': {
    name: 'Service storage limit',
    advice: 'Raise TOTAL_STORAGE_BYTES or delete files.',
  },
  'files-cleanup': {
    name: 'File cleanup',
    advice: 'Check the store: the service cannot delete some objects.',
  },
  webhooks: {
    name: 'Webhook receivers',
    advice: 'Open the webhook’s deliveries to see why they fail.',
  },
  store: { name: 'Object store', advice: 'Check the S3 variables and whether the store is running.' },
  'store-bucket': {
    name: 'Access to the bucket',
    advice: 'Check the S3 variables and whether the store is running.',
  },
  'store-public-endpoint': {
    name: 'Public store address',
    advice: 'Run npm run doctor where S3_PUBLIC_ENDPOINT is reachable.',
  },
  'store-clock': { name: 'Store clock', advice: 'Synchronize the clocks with NTP.' },
  'store-signed-length': {
    name: 'Signed upload size',
    advice: 'Use another store: this one lets users exceed their quota.',
  },
  'store-signed-type': {
    name: 'Signed upload type',
    advice: 'No action is needed: complete files get the declared type.',
  },
  'store-unsigned-acl': {
    name: 'Unsigned access rules',
    advice: 'Block public access on the bucket.',
  },
  'store-unsigned-copy-source': {
    name: 'Unsigned copies of other objects',
    advice:
      'Run npm run bucket:setup, or use an upload credential that can write but not read. Until then, others can copy objects whose key they know.',
  },
  'store-unsigned-metadata': {
    name: 'Unsigned metadata',
    advice: 'No action is needed: complete files never have such metadata.',
  },
  'store-checksums': {
    name: 'Data integrity',
    advice: 'Check the proxies in front of the store.',
  },
  'store-response-disposition': {
    name: 'Download names',
    advice: 'Downloads are named after their key. Use a store that supports response-content-disposition.',
  },
  'store-copy-condition': {
    name: 'Conditional copies',
    advice: 'No action is needed: the service checks the copy instead.',
  },
  'store-part-numbers': {
    name: 'Number of parts',
    advice: 'Set S3_MAX_PARTS to the number of parts that the store accepts.',
  },
  'store-part-after-completion': {
    name: 'Parts after completion',
    advice: 'The store accepts parts of a complete upload. The details say whether they change the file.',
  },
  'store-multipart-etag': {
    name: 'ETags of large files',
    advice: 'No action is needed: the service reads the ETag from the store.',
  },
  'store-part-after-abort': {
    name: 'Parts after an abort',
    advice: 'Watch the size of the bucket: the store accepts bytes that no quota counts.',
  },
  'store-ended-upload-errors': {
    name: 'Errors for ended uploads',
    advice:
      'If this failed, the service cannot detect ended uploads, and their quota stays reserved. Report the store.',
  },
  'store-delete-objects': {
    name: 'Bulk deletion',
    advice:
      'A warning needs no action: objects are deleted one by one. If this failed, the store reports deletions that it does not make. Use another store.',
  },
  'store-cors': {
    name: 'Uploads from pages (CORS)',
    advice: 'Run npm run bucket:setup, or set the CORS rule in docs/storage.md.',
  },
  'store-cors-errors': {
    name: 'Errors readable by pages (CORS)',
    advice: 'Pages cannot see why the store rejects an upload, so they retry expired URLs.',
  },
  'store-lifecycle': { name: 'Bucket lifecycle rules', advice: 'Run npm run bucket:setup.' },
  'store-public-read': {
    name: 'Public files',
    advice: 'Configure S3_PUBLIC_URL so that it serves public/ of the bucket.',
  },
  'store-private-prefixes': {
    name: 'Private files',
    advice: 'Configure S3_PUBLIC_URL so that it serves public/ only. The details name what else it serves.',
  },
  'store-cleanup': { name: 'Removal of test objects', advice: 'Delete the objects named in the details.' },
  gateways: { name: 'Push gateways', advice: 'Check the network of this machine.' },
  apns: { name: 'APNs (iOS)', advice: 'Set the APNS variables to send pushes to iPhones.' },
  'apns-production': {
    name: 'APNs (iOS), production',
    advice: 'Check the APNS variables and the network of this machine.',
  },
  'apns-sandbox': {
    name: 'APNs (iOS), development builds',
    advice: 'Check the APNS variables and the network of this machine.',
  },
  'apns-production-clock': {
    name: 'APNs clock, production',
    advice: 'Synchronize this machine’s clock with NTP.',
  },
  'apns-sandbox-clock': {
    name: 'APNs clock, development builds',
    advice: 'Synchronize this machine’s clock with NTP.',
  },
  fcm: {
    name: 'FCM (Android)',
    advice: 'Check the Firebase variables and the network of this machine.',
  },
  'fcm-clock': { name: 'FCM clock', advice: 'Synchronize this machine’s clock with NTP.' },
  'web-push': {
    name: 'Web push (browsers)',
    advice: 'Set the WEB_PUSH variables to send pushes to browsers.',
  },
  'web-push-subject': {
    name: 'Contact address for web push',
    advice: 'Set WEB_PUSH_SUBJECT to an address that you monitor.',
  },
  issuer: { name: 'External issuer', advice: 'Check the variables of the external issuer.' },
  'issuer-keys': {
    name: 'External issuer keys',
    advice: 'Check the address of the keys. Without its keys, all tokens of the issuer are rejected.',
  },
  'issuer-clock': { name: 'External issuer clock', advice: 'Synchronize the clocks with NTP.' },
  smtp: {
    name: 'Mail server',
    advice: 'Check SMTP_URL and MAIL_FROM: users need emails to reset passwords.',
  },
  'smtp-from': { name: 'Email sender', advice: 'Set MAIL_FROM to an address that can receive email.' },
} satisfies FindingTexts

const de: Record<keyof typeof en, FindingText> = {
  environment: { name: 'Umgebungsvariablen', advice: 'Prüfen Sie die Variable, die in den Details steht.' },
  policies: { name: 'Upload-Regeln', advice: 'Prüfen Sie UPLOAD_POLICIES_FILE.' },
  apps: { name: 'Apps', advice: 'Prüfen Sie PUSH_APPS_FILE.' },
  database: { name: 'Datenbank', advice: 'Prüfen Sie DATABASE_URL und ob die Datenbank läuft.' },
  'database-connection': {
    name: 'Datenbankverbindung',
    advice: 'Prüfen Sie DATABASE_URL und ob die Datenbank läuft.',
  },
  'database-version': { name: 'PostgreSQL-Version', advice: 'Installieren Sie eine neuere Version.' },
  'database-migrations': {
    name: 'Datenbankmigrationen',
    advice: 'Führen Sie npm run db:migrate aus oder starten Sie die Version, die zur Datenbank passt.',
  },
  'database-hosts': {
    name: 'Datenbankserver',
    advice: 'Reparieren Sie Server, die keine Verbindungen annehmen. Genau einer darf primär sein.',
  },
  'database-connections': {
    name: 'Verbindungslimit der Datenbank',
    advice: 'Erhöhen Sie max_connections oder verwenden Sie weniger Instanzen.',
  },
  'database-clock': { name: 'Uhr der Datenbank', advice: 'Synchronisieren Sie die Uhren mit NTP.' },
  'storage-ceiling': {
    name: 'Speicherlimit des Dienstes',
    advice: 'Erhöhen Sie TOTAL_STORAGE_BYTES oder löschen Sie Dateien.',
  },
  'files-cleanup': {
    name: 'Aufräumen von Dateien',
    advice: 'Prüfen Sie den Objektspeicher: Einige Objekte lassen sich nicht entfernen.',
  },
  webhooks: {
    name: 'Empfänger der Webhooks',
    advice: 'In den Zustellungen des Webhooks steht, warum sie fehlschlagen.',
  },
  store: {
    name: 'Objektspeicher',
    advice: 'Prüfen Sie die S3-Variablen und ob der Objektspeicher läuft.',
  },
  'store-bucket': {
    name: 'Zugriff auf den Bucket',
    advice: 'Prüfen Sie die S3-Variablen und ob der Objektspeicher läuft.',
  },
  'store-public-endpoint': {
    name: 'Öffentliche Adresse des Objektspeichers',
    advice: 'Führen Sie npm run doctor dort aus, wo S3_PUBLIC_ENDPOINT erreichbar ist.',
  },
  'store-clock': { name: 'Uhr des Objektspeichers', advice: 'Synchronisieren Sie die Uhren mit NTP.' },
  'store-signed-length': {
    name: 'Signierte Größe von Uploads',
    advice: 'Verwenden Sie einen anderen Objektspeicher: Bei diesem lässt sich das Kontingent überschreiten.',
  },
  'store-signed-type': {
    name: 'Signierter Typ von Uploads',
    advice: 'Kein Handlungsbedarf: Fertige Dateien erhalten den angegebenen Typ.',
  },
  'store-unsigned-acl': {
    name: 'Nicht signierte Zugriffsregeln',
    advice: 'Sperren Sie den öffentlichen Zugriff auf den Bucket.',
  },
  'store-unsigned-copy-source': {
    name: 'Nicht signierte Kopien anderer Objekte',
    advice:
      'Führen Sie npm run bucket:setup aus oder verwenden Sie für Uploads Zugangsdaten, die schreiben, aber nicht lesen können. Bis dahin können andere ein Objekt kopieren, wenn sie seinen Schlüssel kennen.',
  },
  'store-unsigned-metadata': {
    name: 'Nicht signierte Metadaten',
    advice: 'Kein Handlungsbedarf: Fertige Dateien haben nie solche Metadaten.',
  },
  'store-checksums': {
    name: 'Datenintegrität',
    advice: 'Prüfen Sie die Proxys vor dem Objektspeicher.',
  },
  'store-response-disposition': {
    name: 'Namen von Downloads',
    advice:
      'Downloads heißen wie ihr Schlüssel. Verwenden Sie einen Objektspeicher, der response-content-disposition unterstützt.',
  },
  'store-copy-condition': {
    name: 'Bedingte Kopien',
    advice: 'Kein Handlungsbedarf: Der Dienst prüft stattdessen die Kopie.',
  },
  'store-part-numbers': {
    name: 'Anzahl der Teile',
    advice: 'Setzen Sie S3_MAX_PARTS auf die Anzahl der Teile, die der Objektspeicher annimmt.',
  },
  'store-part-after-completion': {
    name: 'Teile nach dem Abschluss',
    advice:
      'Der Objektspeicher nimmt Teile eines abgeschlossenen Uploads an. Ob sich die Datei dadurch ändert, steht in den Details.',
  },
  'store-multipart-etag': {
    name: 'ETag großer Dateien',
    advice: 'Kein Handlungsbedarf: Der Dienst liest den ETag aus dem Objektspeicher.',
  },
  'store-part-after-abort': {
    name: 'Teile nach dem Abbruch',
    advice:
      'Beobachten Sie die Größe des Buckets: Der Objektspeicher nimmt Daten an, die auf kein Kontingent angerechnet werden.',
  },
  'store-ended-upload-errors': {
    name: 'Fehler bei beendeten Uploads',
    advice:
      'Bei einem Fehler erkennt der Dienst beendete Uploads nicht, und ihr Speicherplatz bleibt reserviert. Melden Sie diesen Objektspeicher.',
  },
  'store-delete-objects': {
    name: 'Löschen mehrerer Objekte',
    advice:
      'Bei einer Warnung besteht kein Handlungsbedarf: Objekte werden einzeln gelöscht. Bei einem Fehler meldet der Objektspeicher Objekte als gelöscht, die noch vorhanden sind. Verwenden Sie dann einen anderen.',
  },
  'store-cors': {
    name: 'Uploads von Seiten (CORS)',
    advice: 'Führen Sie npm run bucket:setup aus oder richten Sie die CORS-Regel aus docs/storage.md ein.',
  },
  'store-cors-errors': {
    name: 'Für Seiten lesbare Ablehnungen (CORS)',
    advice:
      'Seiten sehen nicht, warum der Objektspeicher einen Upload ablehnt. Sie versuchen es deshalb mit abgelaufenen URLs erneut.',
  },
  'store-lifecycle': {
    name: 'Lebenszyklusregeln des Buckets',
    advice: 'Führen Sie npm run bucket:setup aus.',
  },
  'store-public-read': {
    name: 'Öffentliche Dateien',
    advice: 'Konfigurieren Sie S3_PUBLIC_URL so, dass public/ des Buckets ausgeliefert wird.',
  },
  'store-private-prefixes': {
    name: 'Private Dateien',
    advice:
      'Konfigurieren Sie S3_PUBLIC_URL so, dass nur public/ ausgeliefert wird. In den Details steht, was noch lesbar ist.',
  },
  'store-cleanup': {
    name: 'Entfernen der Testobjekte',
    advice: 'Löschen Sie die Objekte, die in den Details stehen.',
  },
  gateways: { name: 'Push-Gateways', advice: 'Prüfen Sie die Netzwerkverbindung dieses Servers.' },
  apns: {
    name: 'APNs (iOS)',
    advice: 'Setzen Sie die APNS-Variablen, um Nachrichten an iPhones zu senden.',
  },
  'apns-production': {
    name: 'APNs (iOS), Produktion',
    advice: 'Prüfen Sie die APNS-Variablen und die Netzwerkverbindung dieses Servers.',
  },
  'apns-sandbox': {
    name: 'APNs (iOS), Entwicklungsversionen',
    advice: 'Prüfen Sie die APNS-Variablen und die Netzwerkverbindung dieses Servers.',
  },
  'apns-production-clock': {
    name: 'Uhr von APNs, Produktion',
    advice: 'Synchronisieren Sie die Uhr dieses Servers mit NTP.',
  },
  'apns-sandbox-clock': {
    name: 'Uhr von APNs, Entwicklungsversionen',
    advice: 'Synchronisieren Sie die Uhr dieses Servers mit NTP.',
  },
  fcm: {
    name: 'FCM (Android)',
    advice: 'Prüfen Sie die Firebase-Variablen und die Netzwerkverbindung dieses Servers.',
  },
  'fcm-clock': { name: 'Uhr von FCM', advice: 'Synchronisieren Sie die Uhr dieses Servers mit NTP.' },
  'web-push': {
    name: 'Web-Push (Browser)',
    advice: 'Setzen Sie die WEB_PUSH-Variablen, um Nachrichten an Browser zu senden.',
  },
  'web-push-subject': {
    name: 'Kontaktadresse für Web-Push',
    advice: 'Setzen Sie WEB_PUSH_SUBJECT auf eine Adresse, die Sie regelmäßig abrufen.',
  },
  issuer: { name: 'Externer Aussteller', advice: 'Prüfen Sie die Variablen des externen Ausstellers.' },
  'issuer-keys': {
    name: 'Schlüssel des externen Ausstellers',
    advice: 'Prüfen Sie die Adresse der Schlüssel: Ohne die Schlüssel werden alle Tokens abgelehnt.',
  },
  'issuer-clock': {
    name: 'Uhr des externen Ausstellers',
    advice: 'Synchronisieren Sie die Uhren mit NTP.',
  },
  smtp: {
    name: 'Mailserver',
    advice: 'Prüfen Sie SMTP_URL und MAIL_FROM: Ohne E-Mails lassen sich Passwörter nicht zurücksetzen.',
  },
  'smtp-from': {
    name: 'Absender der E-Mails',
    advice: 'Setzen Sie MAIL_FROM auf eine Adresse, die E-Mails empfangen kann.',
  },
}

export const FINDING_TEXTS: Record<Locale, FindingTexts> = { en, de }

/**
 * Translations of doctor's details. `{}` stands for any text. Doctor itself writes English, for its command. Details
 * without a translation are those of faults, whose advice above is translated.
 */
const DETAILS_DE: Record<string, string> = {
  'every variable is well formed': 'Alle Variablen sind gültig',
  '{} upload policies: {}': '{} Upload-Regeln: {}',
  '{} apps: {}': '{} Apps: {}',
  'NEXTAUTH_URL is plain http: sessions are sent unencrypted. Use https in production':
    'NEXTAUTH_URL beginnt mit http: Sitzungen werden unverschlüsselt übertragen. Verwenden Sie im Betrieb https',
  'accepts connections': 'Nimmt Verbindungen an',
  'all {} applied': 'Alle {} angewendet',
  'max_connections is {}: raise it, because one replica and its successor can open {} during an update':
    'max_connections ist {}. Bei einer Aktualisierung öffnen die alte und die neue Instanz zusammen bis zu {} Verbindungen',
  'max_connections is {}': 'max_connections ist {}',
  'the database is ahead of this release: {}': 'Die Datenbank gehört zu einer neueren Version: {}',
  '{} pending ({} ...): run npm run db:migrate': '{} ausstehend ({} …)',
  'PostgreSQL {} is too old: install version {} or newer':
    'PostgreSQL {} ist zu alt. Erforderlich ist Version {} oder neuer',
  '{} of the {} bytes of TOTAL_STORAGE_BYTES are used or reserved':
    '{} von {} Byte aus TOTAL_STORAGE_BYTES sind belegt oder reserviert',
  'no cleanup has failed': 'Kein Aufräumen ist fehlgeschlagen',
  'no receiver has failed for an hour or ended its subscription':
    'Seit einer Stunde ist kein Empfänger ausgefallen, und keiner hat sein Abonnement beendet',
  '{}: see GET /api/admin/webhooks, and the deliveries of each for the cause': '{}',
  '{} fails': '{} ist gestört',
  '{} returned 410': '{} hat mit 410 geantwortet',
  'the clocks agree': 'Die Uhren stimmen überein',
  'its clock is {}: set up NTP on both': 'Die Uhr geht {}. Richten Sie auf beiden Seiten NTP ein',
  'its clock is {}: set up NTP on both, or signatures will be rejected':
    'Die Uhr geht {}. Richten Sie auf beiden Seiten NTP ein, sonst werden Signaturen abgelehnt',
  '{} s behind this machine': 'gegenüber diesem Server {} s nach',
  '{} s ahead of this machine': 'gegenüber diesem Server {} s vor',
  'sends no Date header to compare': 'Sendet keine Uhrzeit zum Vergleichen',
  'sends no Date header to compare: the push shows whether the clocks agree':
    'Sendet keine Uhrzeit zum Vergleichen. Ob die Uhren übereinstimmen, zeigt der Testversand',
  'the keys match and sign': 'Die Schlüssel passen zusammen und signieren',
  'WEB_PUSH_SUBJECT is {}: set an address that you monitor, or Apple rejects pushes':
    'WEB_PUSH_SUBJECT ist {}. Geben Sie eine Adresse an, die Sie regelmäßig abrufen, sonst lehnt Apple die Nachrichten ab',
  'not configured: pushes to browsers fail with GATEWAY_NOT_CONFIGURED':
    'Nicht eingerichtet: Nachrichten an Browser schlagen mit GATEWAY_NOT_CONFIGURED fehl',
  'not configured: pushes to iOS fail with GATEWAY_NOT_CONFIGURED':
    'Nicht eingerichtet: Nachrichten an iPhones schlagen mit GATEWAY_NOT_CONFIGURED fehl',
  'not configured: pushes to Android fail with GATEWAY_NOT_CONFIGURED':
    'Nicht eingerichtet: Nachrichten an Android schlagen mit GATEWAY_NOT_CONFIGURED fehl',
  'accepts the credentials ({} for a device that cannot exist)':
    'Nimmt die Zugangsdaten an ({} für ein Gerät, das es nicht gibt)',
  'accepted a push to a device that cannot exist: check that this is the real gateway':
    'Hat eine Nachricht an ein Gerät angenommen, das es nicht gibt. Prüfen Sie, ob dies das echte Gateway ist',
  'public keys found: {}': 'Öffentliche Schlüssel gefunden: {}',
  '{} is not reachable: {}': '{} ist nicht erreichbar: {}',
  'no response in time: check that this machine can reach it':
    'Keine Antwort innerhalb der Frist. Prüfen Sie, ob dieser Server das Gateway erreicht',
  'SMTP_URL and MAIL_FROM are not set: users cannot reset passwords':
    'SMTP_URL und MAIL_FROM sind nicht gesetzt: Passwörter lassen sich nicht zurücksetzen',
  '{}, and new users upload without a verified email':
    '{}, und neue Konten laden Dateien ohne bestätigte E-Mail-Adresse hoch',
  'MAIL_FROM uses the reserved domain {}, which most servers reject: use your own domain':
    'MAIL_FROM verwendet die reservierte Domain {}, die die meisten Server ablehnen. Verwenden Sie Ihre eigene Domain',
  '{} is reachable': '{} ist erreichbar',
  'S3_PUBLIC_ENDPOINT is reachable': 'S3_PUBLIC_ENDPOINT ist erreichbar',
  'part {} is accepted': 'Teil {} wird angenommen',
  'ends with the number of parts': 'Endet mit der Anzahl der Teile',
  'a part URL stops working after completion ({})':
    'Die URL eines Teils funktioniert nach dem Abschluss nicht mehr ({})',
  'a part URL stops working after an abort ({})':
    'Die URL eines Teils funktioniert nach einem Abbruch nicht mehr ({})',
  'rejects more bytes than signed ({})': 'Lehnt mehr Bytes ab, als signiert sind ({})',
  'rejects a type that was not signed ({})': 'Lehnt einen nicht signierten Typ ab ({})',
  'rejects an unsigned x-amz-acl ({})': 'Lehnt ein nicht signiertes x-amz-acl ab ({})',
  'an unsigned x-amz-acl has no effect': 'Ein nicht signiertes x-amz-acl bleibt wirkungslos',
  'an unsigned x-amz-copy-source reads nothing': 'Ein nicht signiertes x-amz-copy-source liest nichts',
  'rejects an unsigned x-amz-meta-* ({})': 'Lehnt ein nicht signiertes x-amz-meta-* ab ({})',
  'an unsigned x-amz-meta-* has no effect': 'Ein nicht signiertes x-amz-meta-* bleibt wirkungslos',
  'a PUT without a checksum arrives intact': 'Ein PUT ohne Prüfsumme kommt unverändert an',
  'ignores response-content-disposition, so downloads are named after the key':
    'Ignoriert response-content-disposition. Downloads heißen deshalb wie ihr Schlüssel',
  'ignores x-amz-copy-source-if-match, so the service checks the copy instead':
    'Ignoriert x-amz-copy-source-if-match. Der Dienst prüft stattdessen die Kopie',
  'stores an unsigned x-amz-meta-* with staged bytes, but never with files':
    'Speichert ein nicht signiertes x-amz-meta-* bei unfertigen Uploads, aber nie bei Dateien',
  'a part URL accepts bytes after completion, but the file does not change':
    'Die URL eines Teils nimmt nach dem Abschluss Daten an, aber die Datei ändert sich nicht',
  'a part URL accepts uncounted bytes for an hour after an abort: watch the size of the bucket':
    'Die URL eines Teils nimmt nach einem Abbruch noch eine Stunde lang Daten an, die nicht gezählt werden',
  'honors response-content-disposition': 'Berücksichtigt response-content-disposition',
  'honors x-amz-copy-source-if-match': 'Berücksichtigt x-amz-copy-source-if-match',
  supported: 'Wird unterstützt',
  'pages of {} can upload and read the ETag': 'Seiten von {} können hochladen und den ETag lesen',
  'pages of {} can read rejections': 'Seiten von {} können Ablehnungen lesen',
  'both rules are set': 'Beide Regeln sind gesetzt',
  'public/ can be read through S3_PUBLIC_URL': 'public/ ist über S3_PUBLIC_URL lesbar',
  'S3_PUBLIC_URL serves neither files/ nor staging/': 'S3_PUBLIC_URL liefert weder files/ noch staging/ aus',
}

/** Doctor's details that name calls of the API, in words for the page. */
const DETAILS_EN: Record<string, string> = {
  '{}: see GET /api/admin/webhooks, and the deliveries of each for the cause': '{}',
}

/** Translations by the English details of doctor. */
export type FindingDetails = Record<string, string>

export const FINDING_DETAILS: Record<Locale, FindingDetails> = { en: DETAILS_EN, de: DETAILS_DE }
