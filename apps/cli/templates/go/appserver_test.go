package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"
)

// The vectors are those of the platform: testdata/vectors.json.
type received struct {
	Name, Secret, Method, Target, Body string
	Now                                int64
	Headers                            map[string]string
	IsValid                            bool
}

type vectors struct {
	ForwardedRequests, Posts []received
	SignedRequests           struct {
		PrivateKey string
		Requests   []struct {
			Name, AppName, Method, URL, Body string
			Headers                          map[string]string
		}
	}
}

func readVectors(test *testing.T) (read vectors) {
	text, err := os.ReadFile("testdata/vectors.json")
	if err == nil {
		err = json.Unmarshal(text, &read)
	}
	if err != nil {
		test.Fatal(err)
	}
	return read
}

func headerOf(vector received) http.Header {
	header := http.Header{}
	for name, value := range vector.Headers {
		header.Set(name, value)
	}
	return header
}

func TestForwardedRequests(test *testing.T) {
	for _, vector := range readVectors(test).ForwardedRequests {
		key, err := readSecret(vector.Secret)
		if err != nil {
			test.Fatal(err)
		}
		request := httptest.NewRequest(vector.Method, vector.Target, nil)
		request.Header = headerOf(vector)
		if err := verifyForwarded(key, request, time.Unix(vector.Now, 0)); (err == nil) != vector.IsValid {
			test.Errorf("%s: %v", vector.Name, err)
		}
	}
}

func TestPosts(test *testing.T) {
	for _, vector := range readVectors(test).Posts {
		err := verifyPost(vector.Secret, headerOf(vector), []byte(vector.Body), time.Unix(vector.Now, 0))
		if (err == nil) != vector.IsValid {
			test.Errorf("%s: %v", vector.Name, err)
		}
	}
}

func TestSignedRequests(test *testing.T) {
	signed := readVectors(test).SignedRequests
	key, err := readKey([]byte(signed.PrivateKey))
	if err != nil {
		test.Fatal(err)
	}
	for _, vector := range signed.Requests {
		at, err := time.Parse(time.RFC3339Nano, vector.Headers["x-request-timestamp"])
		if err != nil {
			test.Fatal(err)
		}
		header, err := signRequest(vector.AppName, key, vector.Method, vector.URL, []byte(vector.Body), at)
		if err != nil {
			test.Fatal(err)
		}
		for name, value := range vector.Headers {
			if header.Get(name) != value {
				test.Errorf("%s: %s is %q", vector.Name, name, header.Get(name))
			}
		}
	}
}
