// Runs Companion in Express, as in its documentation, without a request log. Runs in a copy of this folder.
import { tmpdir } from 'node:os'
import * as companion from '@uppy/companion'
import bodyParser from 'body-parser'
import express from 'express'
import session from 'express-session'

const [s3] = process.argv.slice(2).map((text) => JSON.parse(text))
const app = express()
app.use(bodyParser.json())
app.use(session({ secret: 'a-secret', resave: false, saveUninitialized: false }))
const { app: uploads } = companion.app({
  s3: { ...s3, getKey: ({ filename }) => `${crypto.randomUUID()}-${filename}` },
  server: { host: '127.0.0.1', protocol: 'http' },
  filePath: tmpdir(),
  secret: 'another-secret',
  uploadUrls: ['http://127.0.0.1'],
  corsOrigins: true,
})
app.use(uploads)
const server = app.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}`, pid: process.pid }))
})
