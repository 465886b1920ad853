import type { Locale } from '../locales.ts'

/** Name of one of doctor's checks. `advice` says what to do if it warns or fails, and can refer to `command`. */
export type FindingText = { name: string; advice: string; command?: string }

/** By check. Only the health page gets them, in its own language. */
export type FindingTexts = Record<string, FindingText>

const en = {
  environment: {
    name: 'Environment variables',
    advice: 'Change the named variable, then restart the service.',
  },
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
    advice: 'Run this command, or start the release that the database belongs to.',
    command: 'npm run db:migrate',
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
    advice: 'Check the store. This command names the files, and the log has the cause.',
    command: 'npm run quota:check',
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
    advice: 'Run this command where S3_PUBLIC_ENDPOINT is reachable.',
    command: 'npm run doctor',
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
      'Run this command, or set S3_UPLOAD_ACCESS_KEY_ID and S3_UPLOAD_SECRET_ACCESS_KEY to a credential that can write but not read. Until then, others can copy objects whose key they know.',
    command: 'npm run bucket:setup',
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
    advice: 'Run this command, or set the CORS rule in docs/storage.md.',
    command: 'npm run bucket:setup',
  },
  'store-cors-errors': {
    name: 'Errors readable by pages (CORS)',
    advice: 'Pages cannot see why the store rejects an upload, so they retry expired URLs.',
  },
  'store-lifecycle': {
    name: 'Bucket lifecycle rules',
    advice: 'Run this command.',
    command: 'npm run bucket:setup',
  },
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
    advice: 'Check the APNS variables, and that this machine reaches the real gateway.',
  },
  'apns-sandbox': {
    name: 'APNs (iOS), development builds',
    advice: 'Check the APNS variables, and that this machine reaches the real gateway.',
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
    advice: 'Check the Firebase variables, and that this machine reaches the real gateway.',
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
  environment: {
    name: 'Umgebungsvariablen',
    advice: 'Ändern Sie die genannte Variable und starten Sie den Dienst neu.',
  },
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
    advice: 'Führen Sie diesen Befehl aus oder starten Sie die Version, die zur Datenbank passt.',
    command: 'npm run db:migrate',
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
    advice:
      'Prüfen Sie den Objektspeicher. Dieser Befehl nennt die Dateien, und im Protokoll steht die Ursache.',
    command: 'npm run quota:check',
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
    advice: 'Führen Sie diesen Befehl dort aus, wo S3_PUBLIC_ENDPOINT erreichbar ist.',
    command: 'npm run doctor',
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
      'Führen Sie diesen Befehl aus oder setzen Sie S3_UPLOAD_ACCESS_KEY_ID und S3_UPLOAD_SECRET_ACCESS_KEY auf Zugangsdaten, die schreiben, aber nicht lesen können. Bis dahin können andere ein Objekt kopieren, wenn sie seinen Schlüssel kennen.',
    command: 'npm run bucket:setup',
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
    advice: 'Führen Sie diesen Befehl aus oder richten Sie die CORS-Regel aus docs/storage.md ein.',
    command: 'npm run bucket:setup',
  },
  'store-cors-errors': {
    name: 'Für Seiten lesbare Ablehnungen (CORS)',
    advice:
      'Seiten sehen nicht, warum der Objektspeicher einen Upload ablehnt. Sie versuchen es deshalb mit abgelaufenen URLs erneut.',
  },
  'store-lifecycle': {
    name: 'Lebenszyklusregeln des Buckets',
    advice: 'Führen Sie diesen Befehl aus.',
    command: 'npm run bucket:setup',
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
    advice: 'Prüfen Sie die APNS-Variablen, und ob dieser Server das echte Gateway erreicht.',
  },
  'apns-sandbox': {
    name: 'APNs (iOS), Entwicklungsversionen',
    advice: 'Prüfen Sie die APNS-Variablen, und ob dieser Server das echte Gateway erreicht.',
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
    advice: 'Prüfen Sie die Firebase-Variablen, und ob dieser Server das echte Gateway erreicht.',
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
 * Translations of doctor's details, and of the phrases in them. `{}` stands for any text. Doctor itself writes English,
 * for its command. What the advice above says is left out.
 */
const DETAILS_DE: Record<string, string> = {
  'every variable is well formed': 'Alle Variablen sind gültig',
  '{} upload policies: {}': '{} Upload-Regeln: {}',
  '{} apps: {}': '{} Apps: {}',
  'NEXTAUTH_URL is plain http: sessions are sent unencrypted. Use https in production.':
    'NEXTAUTH_URL beginnt mit „http://“. Sitzungen werden unverschlüsselt übertragen. Verwenden Sie im Betrieb https.',
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
  'no cleanup has failed': 'Aufräumen ohne Fehler',
  'no receiver has failed for an hour or ended its subscription':
    'Seit einer Stunde ist kein Empfänger ausgefallen, und keiner hat sein Abonnement beendet',
  '{}: see GET /api/admin/webhooks, and the deliveries of each for the cause': '{}',
  '{} fails': '{} ist gestört',
  '{} returned 410': '{} hat mit 410 geantwortet',
  '{} more': '{} weitere',
  'the clocks agree': 'Die Uhren stimmen überein',
  'its clock is {}: set up NTP on both': 'Die Uhr geht {}',
  'its clock is {}: set up NTP on both, or signatures will be rejected':
    'Die Uhr geht {}. Wird der Unterschied größer, werden Signaturen abgelehnt',
  '{} s behind this machine': 'gegenüber diesem Server {} s nach',
  '{} s ahead of this machine': 'gegenüber diesem Server {} s vor',
  'sends no Date header to compare': 'Sendet keine Uhrzeit zum Vergleichen',
  'sends no Date header to compare: the push shows whether the clocks agree':
    'Sendet keine Uhrzeit zum Vergleichen. Ob die Uhren übereinstimmen, zeigt der Testversand',
  'the keys match and sign': 'Die Schlüssel passen zusammen und signieren',
  'WEB_PUSH_SUBJECT is {}: set an address that you monitor, or Apple rejects pushes':
    'WEB_PUSH_SUBJECT ist {}. Deshalb lehnt Apple Nachrichten ab',
  'not configured: pushes to browsers fail with GATEWAY_NOT_CONFIGURED':
    'Nicht eingerichtet: Nachrichten an Browser schlagen mit GATEWAY_NOT_CONFIGURED fehl',
  'not configured: pushes to iOS fail with GATEWAY_NOT_CONFIGURED':
    'Nicht eingerichtet: Nachrichten an iPhones schlagen mit GATEWAY_NOT_CONFIGURED fehl',
  'not configured: pushes to Android fail with GATEWAY_NOT_CONFIGURED':
    'Nicht eingerichtet: Nachrichten an Android schlagen mit GATEWAY_NOT_CONFIGURED fehl',
  'accepts the credentials ({} for a device that cannot exist)':
    'Nimmt die Zugangsdaten an ({} für ein Gerät, das es nicht gibt)',
  'accepted a push to a device that cannot exist: check that this is the real gateway':
    'Hat eine Nachricht an ein Gerät angenommen, das es nicht gibt. Vielleicht ist dies nicht das echte Gateway',
  'public keys found: {}': 'Öffentliche Schlüssel gefunden: {}',
  'bucket {} is not reachable: {}': 'Der Bucket {} ist nicht erreichbar: {}',
  'no response in time: check that this machine can reach it': 'Keine Antwort innerhalb der Frist',
  'SMTP_URL and MAIL_FROM are not set: users cannot reset passwords':
    'SMTP_URL und MAIL_FROM sind nicht gesetzt: Passwörter lassen sich nicht zurücksetzen',
  '{}, and new users upload without a verified email':
    '{}, und neue Konten laden Dateien ohne bestätigte E-Mail-Adresse hoch',
  'MAIL_FROM uses the reserved domain {}, which most servers reject: use your own domain':
    'MAIL_FROM verwendet die reservierte Domain {}, die die meisten Server ablehnen',
  'bucket {} is reachable': 'Der Bucket {} ist erreichbar',
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
  'deletes several objects at once': 'Löscht mehrere Objekte auf einmal',
  'pages of {} can upload and read the ETag': 'Seiten von {} können hochladen und den ETag lesen',
  'pages of {} can read rejections': 'Seiten von {} können Ablehnungen lesen',
  'both rules are set': 'Beide Regeln sind gesetzt',
  'public/ can be read through S3_PUBLIC_URL': 'public/ ist über S3_PUBLIC_URL lesbar',
  'S3_PUBLIC_URL serves neither files/ nor staging/': 'S3_PUBLIC_URL liefert weder files/ noch staging/ aus',

  // The environment
  'DATABASE_URL has ?schema=, which is ignored: the tables are in the schema "public". To separate them from other tables, use another database':
    'DATABASE_URL enthält ?schema=. Das wird nicht beachtet: Die Tabellen liegen im Schema „public“. Verwenden Sie eine eigene Datenbank, um sie von anderen Tabellen zu trennen',
  'WEBHOOKS_ALLOW_PRIVATE is set: administrators can reach this network with webhooks':
    'WEBHOOKS_ALLOW_PRIVATE ist gesetzt: Webhooks erreichen auch dieses Netzwerk',
  'APNS_* is not set: pushes to iOS fail with GATEWAY_NOT_CONFIGURED':
    'APNS_* ist nicht gesetzt: Nachrichten an iPhones schlagen mit GATEWAY_NOT_CONFIGURED fehl',
  'FIREBASE_PROJECT_ID is not set: pushes to Android fail with GATEWAY_NOT_CONFIGURED':
    'FIREBASE_PROJECT_ID ist nicht gesetzt: Nachrichten an Android schlagen mit GATEWAY_NOT_CONFIGURED fehl',
  'WEB_PUSH_* is not set: pushes to browsers fail with GATEWAY_NOT_CONFIGURED':
    'WEB_PUSH_* ist nicht gesetzt: Nachrichten an Browser schlagen mit GATEWAY_NOT_CONFIGURED fehl',
  'OTEL_EXPORTER_OTLP_PROTOCOL=grpc is not supported: traces are sent as http/json. Use the HTTP port of the collector (4318)':
    'OTEL_EXPORTER_OTLP_PROTOCOL=grpc wird nicht unterstützt: Traces werden als http/json gesendet. Verwenden Sie den HTTP-Port des Collectors (4318)',

  // The database
  'DATABASE_URL does not accept connections: {}': 'DATABASE_URL nimmt keine Verbindungen an: {}',
  '{} does not accept connections ({})': '{} nimmt keine Verbindungen an ({})',
  '{} is the primary': '{} ist der primäre Server',
  '{} is a standby': '{} ist ein Standby',
  '{}: stop all primaries but one, because they accept conflicting writes':
    '{}. Mehrere primäre Server nehmen widersprüchliche Änderungen an',
  '{}: repair it, because the service needs it if the primary fails':
    '{}. Der Dienst braucht ihn, wenn der primäre Server ausfällt',
  'the database returned no time': 'Die Datenbank liefert keine Uhrzeit',
  '{}: {} with QUOTA_EXCEEDED, so raise it or delete files': '{}. {}',
  'uploads will soon be rejected': 'Uploads werden bald mit QUOTA_EXCEEDED abgelehnt',
  'uploads are being rejected': 'Uploads werden mit QUOTA_EXCEEDED abgelehnt',
  'cleanup in the object store fails (files: {}, bytes of quota: {}): npm run quota:check names the files, and the log has the cause':
    'Das Aufräumen im Objektspeicher schlägt fehl (Dateien: {}, Bytes des Kontingents: {})',
  'it is a read-only standby: name the primary in DATABASE_URL, or wait until a standby is promoted':
    'Der Server ist ein Standby, der keine Änderungen annimmt. Nennen Sie in DATABASE_URL den primären Server',
  'it rejects the user or password in DATABASE_URL':
    'Der Server lehnt den Benutzer oder das Passwort in DATABASE_URL ab',
  'it rejects the user in DATABASE_URL: check the user, and pg_hba.conf':
    'Der Server lehnt den Benutzer in DATABASE_URL ab. Prüfen Sie den Benutzer und pg_hba.conf',
  'the database that DATABASE_URL names does not exist: create it, or correct the name':
    'Die Datenbank in DATABASE_URL gibt es nicht. Legen Sie sie an oder korrigieren Sie den Namen',
  'the user in DATABASE_URL lacks a permission': 'Dem Benutzer in DATABASE_URL fehlt eine Berechtigung',
  'it lacks tables that this release needs; run: npm run db:migrate':
    'Es fehlen Tabellen, die diese Version braucht. Führen Sie npm run db:migrate aus',
  'it lacks columns that this release needs; run: npm run db:migrate':
    'Es fehlen Spalten, die diese Version braucht. Führen Sie npm run db:migrate aus',
  'it has no free connection: raise max_connections, or stop other clients':
    'Keine Verbindung ist frei. Erhöhen Sie max_connections oder beenden Sie andere Verbindungen',
  'it is starting up or shutting down: try again':
    'Der Server startet oder wird beendet. Versuchen Sie es erneut',
  'nothing answers at the host and port in DATABASE_URL':
    'Unter dem Server und Port in DATABASE_URL antwortet nichts',
  'it does not accept TLS, which DATABASE_URL requires: check sslmode':
    'Der Server nimmt kein TLS an, das DATABASE_URL verlangt. Prüfen Sie sslmode',
  'nothing listens at the host and port in DATABASE_URL':
    'Unter dem Server und Port in DATABASE_URL läuft nichts',
  'the host name in DATABASE_URL is unknown: check it, and percent-encode special characters in the user and password':
    'Der Servername in DATABASE_URL ist unbekannt. Prüfen Sie ihn und kodieren Sie Sonderzeichen in Benutzer und Passwort mit Prozentzeichen',
  'the host name in DATABASE_URL cannot be looked up: check the DNS server of this machine':
    'Der Servername in DATABASE_URL lässt sich nicht auflösen. Prüfen Sie den DNS-Server dieses Servers',
  'this machine has no route to the host in DATABASE_URL':
    'Von diesem Server führt kein Weg zum Server in DATABASE_URL',

  // The push gateways
  'responds with {}: check {}, and that this machine can reach the gateway':
    'Antwortet mit {}. Prüfen Sie {} sowie die Verbindung dieses Servers zum Gateway',
  'no access token ({}): check {}, that the account still exists, and the clock':
    'Kein Zugriffstoken ({}). Prüfen Sie {}, ob das Konto noch besteht, und die Uhr',
  'APNS_TEAM_ID, APNS_KEY_ID, APNS_PRIVATE_KEY and APNS_TOPIC':
    'APNS_TEAM_ID, APNS_KEY_ID, APNS_PRIVATE_KEY und APNS_TOPIC',
  'FIREBASE_PROJECT_ID and the service account': 'FIREBASE_PROJECT_ID und das Dienstkonto',
  'FIREBASE_CLIENT_EMAIL and FIREBASE_PRIVATE_KEY': 'FIREBASE_CLIENT_EMAIL und FIREBASE_PRIVATE_KEY',
  'the file of GOOGLE_APPLICATION_CREDENTIALS': 'die Datei in GOOGLE_APPLICATION_CREDENTIALS',
  'topic and key {}, or APNS_* for what it omits': 'topic und key {} oder APNS_* für fehlende Angaben',
  'projectId and credentialsFile {}': 'projectId und credentialsFile {}',
  'of {} in PUSH_APPS_FILE': 'von {} in PUSH_APPS_FILE',

  // The external issuer
  'does not publish a public key, so all its tokens are rejected: publish the public signing key':
    'Veröffentlicht keinen öffentlichen Schlüssel. Deshalb werden alle seine Tokens abgelehnt',

  // The mail server
  '{} accepts connections': '{} nimmt Verbindungen an',
  '{} accepts the user and password': '{} nimmt Benutzer und Passwort an',
  '{}, but unencrypted: eavesdroppers can read links that give access to accounts. Use a server with STARTTLS, or smtps://':
    '{}, aber unverschlüsselt. Dritte können Links mitlesen, die Zugang zu Konten geben. Verwenden Sie einen Server mit STARTTLS oder smtps://',
  'check the user and password in SMTP_URL': 'Prüfen Sie Benutzer und Passwort in SMTP_URL',
  'check SMTP_URL ({}) and that this machine can reach the server':
    'Prüfen Sie SMTP_URL ({}) und ob dieser Server den Mailserver erreicht',
  'smtps:// starts with TLS, usually on port 465': 'smtps:// beginnt mit TLS, meist auf Port 465',
  'smtp:// usually uses port 587 or 25': 'smtp:// verwendet meist Port 587 oder 25',

  // The object store
  'S3_PUBLIC_ENDPOINT is not reachable from this machine ({}), so presigned URLs were not tested: run doctor where it is reachable':
    'S3_PUBLIC_ENDPOINT ist von diesem Server aus nicht erreichbar ({}). Signierte URLs wurden deshalb nicht geprüft',
  'the store sends no Date header, so clocks cannot be compared':
    'Der Objektspeicher sendet keine Uhrzeit zum Vergleichen',
  'accepts more bytes than signed, so anyone with a URL can exceed the quota: use another store':
    'Nimmt mehr Bytes an, als signiert sind. Wer eine URL hat, kann das Kontingent überschreiten',
  'accepts a type that was not signed, but only for staged bytes: confirmation sets the declared type':
    'Nimmt einen nicht signierten Typ an, aber nur bei unfertigen Uploads. Die Bestätigung setzt den angegebenen Typ',
  'an unsigned x-amz-acl makes staged bytes public, never files: block public access on the bucket':
    'Ein nicht signiertes x-amz-acl macht unfertige Uploads öffentlich, aber nie Dateien',
  'an unsigned x-amz-copy-source turns {} into a copy of any object whose key is known: run npm run bucket:setup, or set S3_UPLOAD_ACCESS_KEY_ID and S3_UPLOAD_SECRET_ACCESS_KEY to a credential that can write but not read':
    'Ein nicht signiertes x-amz-copy-source macht {} zur Kopie eines beliebigen Objekts, dessen Schlüssel bekannt ist',
  'a PUT and a part': 'einen PUT und einen Teil',
  'a PUT': 'einen PUT',
  'a part': 'einen Teil',
  'a GET returns bytes that differ from those PUT: check the proxies in front of the store':
    'Ein GET liefert andere Bytes, als der PUT gespeichert hat',
  'a presigned PUT was rejected: {} {}': 'Ein signierter PUT wurde abgelehnt: {} {}',
  'a presigned GET was rejected: {} {}': 'Ein signierter GET wurde abgelehnt: {} {}',
  'part {} is rejected ({}), so the largest uploads cannot complete: set S3_MAX_PARTS to the number of parts that the store accepts':
    'Teil {} wird abgelehnt ({}). Die größten Uploads lassen sich deshalb nicht abschließen',
  'the completion was not accepted: {}': 'Der Abschluss wurde nicht angenommen: {}',
  "{} is unlike AWS's: the service uses what HeadObject returns":
    '{} unterscheidet sich von dem bei AWS. Der Dienst verwendet, was HeadObject liefert',
  'a part URL accepts bytes after completion: the store then returns an error instead of the file, but never other bytes. Only the owner can do this, for an hour, and sending the part again repairs the file':
    'Die URL eines Teils nimmt nach dem Abschluss Daten an: Der Objektspeicher liefert dann einen Fehler statt der Datei, aber nie andere Bytes. Nur der Eigentümer kann das, eine Stunde lang. Wird der Teil erneut gesendet, ist die Datei wieder lesbar',
  'a part URL changes the file after completion, so its holder can change the file for an hour':
    'Die URL eines Teils ändert die Datei auch nach dem Abschluss. Wer die URL hat, kann die Datei eine Stunde lang ändern',
  'ListParts: {}, abort: {}': 'ListParts: {}, Abbruch: {}',
  'no error': 'kein Fehler',
  "{}: unlike AWS's, but the service recognizes them": '{}. Anders als bei AWS, aber der Dienst erkennt sie',
  '{}: the service does not recognize ended uploads, so their quota stays reserved':
    '{}. Der Dienst erkennt beendete Uploads nicht, und ihr Kontingent bleibt reserviert',
  'not supported ({}): objects are deleted one by one, which takes longer':
    'Wird nicht unterstützt ({}). Objekte werden einzeln gelöscht, was länger dauert',
  'DeleteObjects reports success, but the object still exists':
    'DeleteObjects meldet Erfolg, aber das Objekt ist noch vorhanden',
  'the store did not remove {}: delete them': 'Der Objektspeicher hat diese Objekte nicht entfernt: {}',
  'pages of {} cannot upload (preflight {}): run npm run bucket:setup, or set the rule in docs/storage.md':
    'Seiten von {} können nicht hochladen (Preflight {})',
  'pages of {} cannot read why the store rejects a PUT: they mistake an expired URL for a network failure and retry':
    'Seiten von {} sehen nicht, warum der Objektspeicher einen PUT ablehnt. Sie halten eine abgelaufene URL für einen Netzwerkfehler und versuchen es erneut',
  'pages of {} cannot read the ETag of a part: expose ETag in the CORS rule':
    'Seiten von {} können den ETag eines Teils nicht lesen',
  'none ({}): only the sweeper removes unfinished uploads; run npm run bucket:setup':
    'Keine ({}). Unfertige Uploads entfernt nur der Dienst selbst',
  'not set: {}. Only the sweeper removes leftovers; run npm run bucket:setup':
    'Nicht gesetzt: {}. Reste entfernt nur der Dienst selbst',
  'public/ cannot be read through S3_PUBLIC_URL ({}), so the URLs of public files do not work: see docs/storage.md, or unset S3_PUBLIC_URL':
    'public/ ist über S3_PUBLIC_URL nicht lesbar ({}). Die URLs öffentlicher Dateien funktionieren deshalb nicht',
  'another response': 'andere Antwort',
  'files/ can be read through S3_PUBLIC_URL, which public files of an earlier version need. Only secret keys protect private files there: see docs/storage.md':
    'files/ ist über S3_PUBLIC_URL lesbar, weil dort öffentliche Dateien einer früheren Version liegen. Private Dateien schützt dort nur ihr geheimer Schlüssel',
  '{} can be read through S3_PUBLIC_URL, so anyone who knows the key of a private or held file can read it: serve public/ only':
    'Über S3_PUBLIC_URL lesbar: {}. Wer den Schlüssel einer privaten oder zurückgehaltenen Datei kennt, kann sie lesen',
  'HTTP {} without an S3 error code: check that S3_ENDPOINT is the address of an S3 API, with the right port and scheme (http or https)':
    'HTTP {} ohne Fehlercode von S3. Prüfen Sie, ob S3_ENDPOINT die Adresse einer S3-API ist, mit dem richtigen Port und Schema (http oder https)',
  'check S3_SECRET_ACCESS_KEY, and that no proxy changes the requests or their Host header':
    'Prüfen Sie S3_SECRET_ACCESS_KEY und ob ein Proxy die Anfragen oder ihren Host-Header ändert',
  'check S3_ACCESS_KEY_ID, and that S3_ENDPOINT is the store that issued it':
    'Prüfen Sie S3_ACCESS_KEY_ID und ob S3_ENDPOINT der Objektspeicher ist, der es ausgestellt hat',
  'check the session token of the credentials': 'Prüfen Sie das Sitzungstoken der Zugangsdaten',
  'renew the credentials, which have expired': 'Die Zugangsdaten sind abgelaufen. Erneuern Sie sie',
  'check S3_BUCKET, and give S3_ACCESS_KEY_ID the permissions in docs/storage.md on this bucket':
    'Prüfen Sie S3_BUCKET und geben Sie S3_ACCESS_KEY_ID für diesen Bucket die Berechtigungen aus docs/storage.md',
  'check S3_REGION': 'Prüfen Sie S3_REGION',
  'check S3_REGION and S3_ENDPOINT: the bucket is in another region':
    'Der Bucket ist in einer anderen Region. Prüfen Sie S3_REGION und S3_ENDPOINT',
  'set up NTP here and on the store: their clocks differ too much':
    'Die Uhren weichen zu stark voneinander ab. Richten Sie hier und auf dem Objektspeicher NTP ein',
  'check S3_BUCKET, or create the bucket with npm run bucket:setup -- --create':
    'Prüfen Sie S3_BUCKET oder legen Sie den Bucket mit npm run bucket:setup -- --create an',
  'check S3_BUCKET, and S3_FORCE_PATH_STYLE': 'Prüfen Sie S3_BUCKET und S3_FORCE_PATH_STYLE',
  'choose another S3_BUCKET: this one belongs to another account':
    'Dieser Bucket gehört zu einem anderen Konto. Wählen Sie einen anderen S3_BUCKET',
  'S3_ENDPOINT is https, but its port does not accept TLS: check the port, or use http:// if the store has no TLS':
    'S3_ENDPOINT beginnt mit https, aber der Port nimmt kein TLS an. Prüfen Sie den Port oder verwenden Sie http://, falls der Objektspeicher kein TLS hat',
  'check the host name in S3_ENDPOINT, and set S3_FORCE_PATH_STYLE=true unless the store has a DNS name for each bucket':
    'Prüfen Sie den Servernamen in S3_ENDPOINT. Setzen Sie S3_FORCE_PATH_STYLE=true, falls der Objektspeicher nicht für jeden Bucket einen DNS-Namen hat',
  'the host name in S3_ENDPOINT cannot be looked up: check the DNS server of this machine':
    'Der Servername in S3_ENDPOINT lässt sich nicht auflösen. Prüfen Sie den DNS-Server dieses Servers',
  'check the host and port in S3_ENDPOINT, and that the store is running':
    'Prüfen Sie Server und Port in S3_ENDPOINT und ob der Objektspeicher läuft',
  'check the host, port and scheme (http or https) in S3_ENDPOINT':
    'Prüfen Sie Server, Port und Schema (http oder https) in S3_ENDPOINT',
  'check S3_ENDPOINT, and the firewalls on the way to it':
    'Prüfen Sie S3_ENDPOINT und die Firewalls auf dem Weg dorthin',
  'the certificate is for another name: check the host in S3_ENDPOINT, and S3_FORCE_PATH_STYLE':
    'Das Zertifikat gilt für einen anderen Namen. Prüfen Sie den Servernamen in S3_ENDPOINT und S3_FORCE_PATH_STYLE',
  'set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY': 'Setzen Sie S3_ACCESS_KEY_ID und S3_SECRET_ACCESS_KEY',
  'this machine does not trust the certificate of S3_ENDPOINT: set NODE_EXTRA_CA_CERTS to a file with its CA certificate':
    'Dieser Server vertraut dem Zertifikat von S3_ENDPOINT nicht. Setzen Sie NODE_EXTRA_CA_CERTS auf eine Datei mit dem Zertifikat der Zertifizierungsstelle',
  'check S3_ENDPOINT': 'Prüfen Sie S3_ENDPOINT',
}

/** Doctor's details without what the advice above says, which its command has to say itself. */
const DETAILS_EN: Record<string, string> = {
  'cleanup in the object store fails (files: {}, bytes of quota: {}): npm run quota:check names the files, and the log has the cause':
    'Cleanup in the object store fails (files: {}, bytes of quota: {})',
  'max_connections is {}: raise it, because one replica and its successor can open {} during an update':
    'max_connections is {}, but one replica and its successor can open {} connections during an update',
  '{} pending ({} ...): run npm run db:migrate': '{} pending ({} …)',
  'PostgreSQL {} is too old: install version {} or newer':
    'PostgreSQL {} is too old. The service needs version {} or newer',
  '{}: stop all primaries but one, because they accept conflicting writes':
    '{}. Several primaries accept conflicting writes',
  '{}: repair it, because the service needs it if the primary fails':
    '{}. The service needs it if the primary fails',
  '{}: {} with QUOTA_EXCEEDED, so raise it or delete files': '{}: {} with QUOTA_EXCEEDED',
  'its clock is {}: set up NTP on both': 'Its clock is {}',
  'its clock is {}: set up NTP on both, or signatures will be rejected':
    'Its clock is {}. If the difference grows, signatures will be rejected',
  'WEB_PUSH_SUBJECT is {}: set an address that you monitor, or Apple rejects pushes':
    'WEB_PUSH_SUBJECT is {}, so Apple rejects pushes',
  'accepted a push to a device that cannot exist: check that this is the real gateway':
    'Accepted a push to a device that cannot exist. This may not be the real gateway',
  'no response in time: check that this machine can reach it': 'No response in time',
  'MAIL_FROM uses the reserved domain {}, which most servers reject: use your own domain':
    'MAIL_FROM uses the reserved domain {}, which most servers reject',
  'S3_PUBLIC_ENDPOINT is not reachable from this machine ({}), so presigned URLs were not tested: run doctor where it is reachable':
    'S3_PUBLIC_ENDPOINT is not reachable from this machine ({}), so presigned URLs were not tested',
  'accepts more bytes than signed, so anyone with a URL can exceed the quota: use another store':
    'Accepts more bytes than signed, so anyone with a URL can exceed the quota',
  'an unsigned x-amz-acl makes staged bytes public, never files: block public access on the bucket':
    'An unsigned x-amz-acl makes staged bytes public, never files',
  'an unsigned x-amz-copy-source turns {} into a copy of any object whose key is known: run npm run bucket:setup, or set S3_UPLOAD_ACCESS_KEY_ID and S3_UPLOAD_SECRET_ACCESS_KEY to a credential that can write but not read':
    'An unsigned x-amz-copy-source turns {} into a copy of any object whose key is known',
  'a GET returns bytes that differ from those PUT: check the proxies in front of the store':
    'A GET returns bytes that differ from those PUT',
  'part {} is rejected ({}), so the largest uploads cannot complete: set S3_MAX_PARTS to the number of parts that the store accepts':
    'Part {} is rejected ({}), so the largest uploads cannot complete',
  'a part URL accepts uncounted bytes for an hour after an abort: watch the size of the bucket':
    'A part URL accepts uncounted bytes for an hour after an abort',
  'the store did not remove {}: delete them': 'The store did not remove {}',
  'pages of {} cannot upload (preflight {}): run npm run bucket:setup, or set the rule in docs/storage.md':
    'Pages of {} cannot upload (preflight {})',
  'pages of {} cannot read the ETag of a part: expose ETag in the CORS rule':
    'Pages of {} cannot read the ETag of a part',
  'none ({}): only the sweeper removes unfinished uploads; run npm run bucket:setup':
    'None ({}). Only the sweeper removes unfinished uploads',
  'not set: {}. Only the sweeper removes leftovers; run npm run bucket:setup':
    'Not set: {}. Only the sweeper removes leftovers',
  '{}: see GET /api/admin/webhooks, and the deliveries of each for the cause': '{}',
}

/** Translations by the English details of doctor. */
export type FindingDetails = Record<string, string>

export const FINDING_DETAILS: Record<Locale, FindingDetails> = { en: DETAILS_EN, de: DETAILS_DE }
