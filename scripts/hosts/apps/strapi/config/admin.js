module.exports = () => ({
  serveAdminPanel: false,
  auth: { secret: 'secret1' },
  apiToken: { salt: 'salt1' },
  transfer: { token: { salt: 'salt2' } },
  secrets: { encryptionKey: '0123456789abcdef0123456789abcdef' },
});
