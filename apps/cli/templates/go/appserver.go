package main

import (
	"bytes"
	"context"
	"crypto"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// This file has what an app needs of the platform: its identity, the checks of what the platform sends, and signed calls.

// Platform is the platform that runs this app.
type Platform struct {
	URL     string
	AppName string
	// AppID is empty where the platform did not start the app.
	AppID string

	key *rsa.PrivateKey
	// Nothing is checked without it: the platform did not start the app.
	forwardKey []byte

	secretLock  sync.Mutex
	postSecret  string
	secretAsked time.Time
}

// Environment returns a variable of the environment, or a default.
func Environment(name, missing string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return missing
}

// ReadPlatform reads the identity that the platform made for this deployment, or the key of the publisher in the working directory.
func ReadPlatform() (*Platform, error) {
	folder := Environment("APP_IDENTITY_DIR", "/run/appserver")
	platform := &Platform{
		URL:     Environment("APPSERVER_HTTP_URL", "http://127.0.0.1:8080"),
		AppName: Environment("APP_NAME", appName),
		AppID:   os.Getenv("APP_ID"),
	}
	text, err := os.ReadFile(filepath.Join(folder, "key.pem"))
	if errors.Is(err, os.ErrNotExist) {
		text, err = os.ReadFile("key.pem")
	}
	if err != nil {
		return nil, fmt.Errorf("the app has no key: %w", err)
	}
	if platform.key, err = readKey(text); err != nil {
		return nil, err
	}
	secret, err := os.ReadFile(filepath.Join(folder, "forward-secret"))
	if errors.Is(err, os.ErrNotExist) {
		return platform, nil
	}
	if err == nil {
		platform.forwardKey, err = readSecret(string(secret))
	}
	return platform, err
}

func readKey(text []byte) (*rsa.PrivateKey, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("key.pem has no key")
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	if rsaKey, isRsa := key.(*rsa.PrivateKey); isRsa {
		return rsaKey, nil
	}
	return nil, errors.New("key.pem is not an RSA key, and only those sign requests")
}

// readSecret returns the key of a forward secret, or of a push secret.
func readSecret(secret string) ([]byte, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(strings.TrimSpace(secret), "whsec_"))
	if err != nil || len(key) < 16 {
		return nil, errors.New("a secret is base64 of 16 bytes or more")
	}
	return key, nil
}

var forwardSignature = regexp.MustCompile(`^t=(\d{1,12});v1=([A-Za-z0-9+/]{43}=)$`)

// verifyForwarded checks that the platform sent the request at most 60 s ago, in the name of these callers.
func verifyForwarded(key []byte, request *http.Request, now time.Time) error {
	given := forwardSignature.FindStringSubmatch(request.Header.Get("X-Appserver-Signature"))
	if given == nil {
		return errors.New("the request is not signed by the platform")
	}
	if err := checkTime(given[1], now, 60*time.Second); err != nil {
		return err
	}
	signed := []string{given[1], request.Method, request.RequestURI}
	for _, name := range []string{"X-User-ID", "X-App-Name", "X-Machine-ID"} {
		values := request.Header.Values(name)
		if len(values) > 1 || len(values) == 1 && values[0] == "" {
			return fmt.Errorf("the header %s is empty or repeated", name)
		}
		if name != "X-Machine-ID" || len(values) == 1 {
			signed = append(signed, request.Header.Get(name))
		}
	}
	if !isDigest(given[2], key, []byte(strings.Join(signed, "\n"))) {
		return errors.New("the signature of the request does not match")
	}
	return nil
}

// verifyPost checks that the platform posted this body at most 300 s ago: a hook, or a run of an activity.
func verifyPost(secret string, header http.Header, body []byte, now time.Time) error {
	key, err := readSecret(secret)
	if err != nil {
		return err
	}
	id, timestamp := header.Get("Webhook-Id"), header.Get("Webhook-Timestamp")
	if err := checkTime(timestamp, now, 300*time.Second); err != nil {
		return err
	}
	message := append([]byte(id+"."+timestamp+"."), body...)
	for _, signature := range strings.Fields(header.Get("Webhook-Signature")) {
		if digest, isFirst := strings.CutPrefix(signature, "v1,"); isFirst && isDigest(digest, key, message) {
			return nil
		}
	}
	return errors.New("the signature of the post does not match")
}

func checkTime(seconds string, now time.Time, tolerance time.Duration) error {
	number, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil || now.Sub(time.Unix(number, 0)).Abs() > tolerance {
		return fmt.Errorf("the time of the signature differs from the clock by more than %s", tolerance)
	}
	return nil
}

func isDigest(given string, key, message []byte) bool {
	mac := hmac.New(sha256.New, key)
	mac.Write(message)
	digest, err := base64.StdEncoding.DecodeString(given)
	return err == nil && hmac.Equal(digest, mac.Sum(nil))
}

// signRequest returns the headers with which the app proves who it is. The URL is path and query.
func signRequest(app string, key *rsa.PrivateKey, method, url string, body []byte, at time.Time) (http.Header, error) {
	timestamp := at.UTC().Format("2006-01-02T15:04:05.000Z")
	hash := sha256.Sum256(append([]byte(strings.ToUpper(method)+url+timestamp), body...))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, hash[:])
	header := http.Header{}
	header.Set("X-App-Name", app)
	header.Set("X-Request-Timestamp", timestamp)
	header.Set("X-App-Signature", base64.StdEncoding.EncodeToString(signature))
	return header, err
}

// Guard refuses requests that the platform did not send, except its health checks, which are not signed.
func (platform *Platform) Guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		isProbe := request.Method == http.MethodGet && request.URL.Path == "/health"
		if platform.forwardKey != nil && !isProbe {
			if err := verifyForwarded(platform.forwardKey, request, time.Now()); err != nil {
				respondError(response, http.StatusUnauthorized, err)
				return
			}
		}
		next.ServeHTTP(response, request)
	})
}

// Posted handles what the platform posts: hooks and runs of activities. The result is sent as JSON.
func (platform *Platform) Posted(handle func(context.Context, []byte) (any, error)) http.HandlerFunc {
	return func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, 4<<20))
		if err != nil {
			respondError(response, http.StatusBadRequest, err)
			return
		}
		secret, err := platform.secret(request.Context())
		if err != nil {
			respondError(response, http.StatusServiceUnavailable, err)
			return
		}
		if err := verifyPost(secret, request.Header, body, time.Now()); err != nil {
			platform.forgetSecret()
			respondError(response, http.StatusUnauthorized, err)
			return
		}
		result, err := handle(request.Context(), body)
		var refusal *Refusal
		switch {
		case errors.As(err, &refusal):
			respond(response, http.StatusUnprocessableEntity, map[string]string{"error": refusal.Message, "code": refusal.Code})
		case err != nil:
			respondError(response, http.StatusInternalServerError, err)
		default:
			respond(response, http.StatusOK, result)
		}
	}
}

// Refusal is an error of a run that another attempt does not help.
type Refusal struct{ Code, Message string }

func (refusal *Refusal) Error() string { return refusal.Message }

// secret returns the secret that posts are signed with, from the platform.
func (platform *Platform) secret(ctx context.Context) (string, error) {
	platform.secretLock.Lock()
	defer platform.secretLock.Unlock()
	if platform.postSecret != "" {
		return platform.postSecret, nil
	}
	var found struct{ Secret string }
	err := platform.Call(ctx, http.MethodPost, "/appserver.v2.HooksService/GetPushSecret", struct{}{}, &found)
	platform.postSecret, platform.secretAsked = found.Secret, time.Now()
	return found.Secret, err
}

// forgetSecret has the secret read again, at most once a minute: the key of the platform may have been replaced.
func (platform *Platform) forgetSecret() {
	platform.secretLock.Lock()
	defer platform.secretLock.Unlock()
	if time.Since(platform.secretAsked) > time.Minute {
		platform.postSecret = ""
	}
}

// Call sends a signed request to the platform: to its own API, or to another app below /api/apps/. The platform and the app speak JSON.
func (platform *Platform) Call(ctx context.Context, method, path string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, platform.URL+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if request.Header, err = signRequest(platform.AppName, platform.key, method, path, body, time.Now()); err != nil {
		return err
	}
	if in != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, 16<<20))
	if err != nil {
		return err
	}
	if response.StatusCode >= 300 {
		return fmt.Errorf("%s %s: the platform responded with %d: %s", method, path, response.StatusCode, text)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(text, out)
}

func respond(response http.ResponseWriter, status int, value any) {
	response.Header().Set("Content-Type", "application/json")
	response.WriteHeader(status)
	_ = json.NewEncoder(response).Encode(value)
}

func respondError(response http.ResponseWriter, status int, err error) {
	respond(response, status, map[string]string{"error": err.Error()})
}
